/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Components of a neighbouring tenant, for a Linux process: it calls functions of components, and
 * serves calls that components make. Both go through the stream channel "components"
 * (docs/components.md). C11; link nothing. One thread at a time, one process at a time.
 *
 *     struct components components;
 *
 *     if (components_open(&components, 1000) != 0) ...                 errno says why
 *     components_call(&components, "statistics.missed", NULL, 0, &missed, 1000);
 *     for (;;)
 *         components_serve(&components, serve, context, -1);
 *
 * Time-outs are in milliseconds, -1: none. After an error other than ETIMEDOUT, ENOENT and EIO of a
 * call the channel is to be closed, and may be opened again.
 */
#ifndef COTENANT_LINUX_CHANNEL_COMPONENTS_H
#define COTENANT_LINUX_CHANNEL_COMPONENTS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../abi/component_message.h"

#define COMPONENTS_PORT "/dev/virtio-ports/" COMPONENT_CHANNEL

struct components {
    int port;
    uint64_t calls; /* made so far: ids */
};

/* A function for components: `name` is what is called, `data` has `size` bytes of the caller's, and
 * room for COMPONENT_DATA_SIZE. It returns how many it has left there as its answer, or a negative
 * error; COMPONENT_UNKNOWN if it knows no such name. */
typedef int components_function(void *context, const char *name, uint8_t *data, uint32_t size);

static inline int64_t components_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Waits for `events` until the time `end`. 0, or -1 with errno; EPIPE: the other end is closed. */
static inline int components_wait(int port, short events, int64_t end)
{
    struct pollfd asked = {.fd = port, .events = events};
    int64_t left = end < 0 ? -1 : end - components_now_ms();
    int ready = poll(&asked, 1, end < 0 ? -1 : left < 0 ? 0 : (int)left);

    if (ready < 0)
        return errno == EINTR ? 0 : -1;
    if (ready > 0 && (asked.revents & events) != 0)
        return 0;
    errno = ready == 0 ? ETIMEDOUT : EPIPE;
    return -1;
}

/* All of `size` bytes, in (`is_read`) or out. 0, or -1 with errno. */
static inline int components_move(int port, void *bytes, uint32_t size, short is_read, int64_t end)
{
    uint8_t *next = bytes;

    while (size > 0) {
        ssize_t count;

        if (components_wait(port, is_read ? POLLIN : POLLOUT, end) != 0)
            return -1;
        count = is_read ? read(port, next, size) : write(port, next, size);
        if (count == 0)
            errno = EPIPE;
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            return -1;
        next += count > 0 ? count : 0;
        size -= count > 0 ? (uint32_t)count : 0;
    }
    return 0;
}

/* Opens the channel, and waits until the translator is at its other end. 0, or -1 with errno. */
static inline int components_open(struct components *components, int timeout_ms)
{
    int64_t end = timeout_ms < 0 ? -1 : components_now_ms() + timeout_ms;
    struct pollfd asked = {.events = POLLOUT};

    components->calls = (uint64_t)getpid() << 32;
    components->port = open(COMPONENTS_PORT, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (components->port < 0)
        return -1;
    asked.fd = components->port;
    while (poll(&asked, 1, 0) < 0 || (asked.revents & POLLHUP) != 0) {
        if (end >= 0 && components_now_ms() >= end) {
            close(components->port);
            errno = ETIMEDOUT;
            return -1;
        }
        usleep(1000);
    }
    return 0;
}

static inline void components_close(struct components *components)
{
    close(components->port);
}

static inline int components_send(struct components *components, struct component_message *message,
                                  void *data, int64_t end)
{
    if (components_move(components->port, message, sizeof(*message), 0, end) != 0)
        return -1;
    return components_move(components->port, data, message->size, 0, end);
}

/* The next message. 0, or -1 with errno; EPROTO: it is none. */
static inline int components_receive(struct components *components,
                                     struct component_message *message,
                                     uint8_t data[COMPONENT_DATA_SIZE], int64_t end)
{
    if (components_move(components->port, message, sizeof(*message), 1, end) != 0)
        return -1;
    if (message->size > COMPONENT_DATA_SIZE) {
        errno = EPROTO;
        return -1;
    }
    return components_move(components->port, data, message->size, 1, end);
}

/*
 * Calls a function of a component, such as "names.find", with up to COMPONENT_ARGUMENTS numbers.
 * 0 and *value, or -1 with errno: ENOENT: the translator passes on no such function; EIO: the
 * invocation returned an error, which is in *value; ETIMEDOUT. Calls of components that come
 * meanwhile are refused: serve them from another process's time, or in turns.
 */
static inline int components_call(struct components *components, const char *name,
                                  const uint64_t *arguments, unsigned count, uint64_t *value,
                                  int timeout_ms)
{
    int64_t end = timeout_ms < 0 ? -1 : components_now_ms() + timeout_ms;
    uint64_t id = ++components->calls;
    struct component_message message = {
        .size = 8 * count, .kind = COMPONENT_MESSAGE_CALL, .id = id};
    uint8_t data[COMPONENT_DATA_SIZE];

    if (count > COMPONENT_ARGUMENTS || strlen(name) >= COMPONENT_NAME_SIZE) {
        errno = EINVAL;
        return -1;
    }
    memcpy(message.name, name, strlen(name));
    memcpy(data, arguments != NULL ? (const void *)arguments : "", 8 * count);
    if (components_send(components, &message, data, end) != 0)
        return -1;
    do { /* answers to calls that were given up are passed over */
        if (components_receive(components, &message, data, end) != 0)
            return -1;
        if (message.kind == COMPONENT_MESSAGE_CALL) {
            message.kind = COMPONENT_MESSAGE_ANSWER;
            message.error = COMPONENT_UNKNOWN;
            message.size = 0;
            if (components_send(components, &message, data, end) != 0)
                return -1;
        }
    } while (message.kind != COMPONENT_MESSAGE_ANSWER || message.id != id);
    *value = (uint64_t)message.error;
    if (message.error != COMPONENT_OK || message.size < sizeof(*value)) {
        errno = message.error == COMPONENT_UNKNOWN ? ENOENT : EIO;
        return -1;
    }
    memcpy(value, data, sizeof(*value));
    return 0;
}

/* Waits for a call of a component and answers it by `function`. 0, or -1 with errno. */
static inline int components_serve(struct components *components, components_function *function,
                                   void *context, int timeout_ms)
{
    int64_t end = timeout_ms < 0 ? -1 : components_now_ms() + timeout_ms;
    struct component_message message;
    uint8_t data[COMPONENT_DATA_SIZE];
    int size;

    do {
        if (components_receive(components, &message, data, end) != 0)
            return -1;
    } while (message.kind != COMPONENT_MESSAGE_CALL);
    message.name[COMPONENT_NAME_SIZE - 1] = '\0';
    size = function(context, message.name, data, message.size);
    message.kind = COMPONENT_MESSAGE_ANSWER;
    message.error = size < 0 ? size : COMPONENT_OK;
    message.size = size < 0 ? 0 : (uint32_t)size;
    return components_send(components, &message, data, end);
}

#endif

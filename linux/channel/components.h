/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Components of a neighbouring tenant, for a Linux process: it calls functions of components, and
 * serves calls that components make. Both go through the channel "components", a stream or a memory
 * channel (docs/components.md). C11; link nothing. One thread at a time, one process at a time.
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

#include <stdint.h>
#include <time.h>

#include "../../abi/component_message.h"
#include "memory_channel.h"

#define COMPONENTS_PORT "/dev/virtio-ports/" COMPONENT_CHANNEL

struct components {
    struct memory_channel window; /* its `size` is 0: the channel is a stream */
    int port;
    uint64_t calls; /* made so far: ids */
    int64_t spin; /* ns: looks so long into the window before it sleeps; 0 after components_open */
};

/* A function for components: `name` is what is called, `data` has `size` bytes of the caller's, and
 * room for COMPONENT_DATA_SIZE. It returns how many it has left there as its answer, or a negative
 * error; COMPONENT_UNKNOWN if it knows no such name. */
typedef int components_function(void *context, const char *name, uint8_t *data, uint32_t size);

static inline int64_t components_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* The end of a time-out; and the milliseconds that are left of it, -1: any. */
static inline int64_t components_end(int timeout_ms)
{
    return timeout_ms < 0 ? -1 : components_now() + timeout_ms * 1000000ll;
}

static inline int components_left(int64_t end)
{
    int64_t left = end < 0 ? -1 : (end - components_now() + 999999) / 1000000;

    return end < 0 ? -1 : left < 0 ? 0 : (int)left;
}

/* All of `size` bytes of a stream, in (POLLIN) or out (POLLOUT). 0, or -1 with errno. */
static inline int components_move(int port, void *bytes, uint32_t size, short way, int64_t end)
{
    uint8_t *next = bytes;

    while (size > 0) {
        struct pollfd asked = {.fd = port, .events = way};
        int ready = poll(&asked, 1, components_left(end));
        ssize_t count = -1;

        errno = ready == 0 ? ETIMEDOUT : ready < 0 ? errno : EPIPE;
        if (ready > 0 && (asked.revents & way) != 0)
            count = way == POLLIN ? read(port, next, size) : write(port, next, size);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            return -1;
        next += count > 0 ? count : 0;
        size -= count > 0 ? (uint32_t)count : 0;
    }
    return 0;
}

static inline void components_close(struct components *components)
{
    if (components->window.size != 0)
        memory_channel_close(&components->window);
    else
        close(components->port);
}

/* Opens the channel, and waits until the translator is at its other end. 0, or -1 with errno. */
static inline int components_open(struct components *components, int timeout_ms)
{
    struct memory_channel *window = &components->window;
    int64_t end = components_end(timeout_ms);
    struct pollfd asked = {.events = POLLOUT};

    *components = (struct components){.calls = (uint64_t)getpid() << 32};
    if (memory_channel_open(window, COMPONENT_CHANNEL) != 0) {
        if (errno != ENOENT || window->size != 0)
            return -1;
        asked.fd = components->port = open(COMPONENTS_PORT, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (components->port < 0)
            return -1;
    }
    while (window->size != 0 ? !memory_channel_is_met(window)
                             : poll(&asked, 1, 0) < 0 || (asked.revents & POLLHUP) != 0) {
        if (components_left(end) == 0) {
            components_close(components);
            errno = ETIMEDOUT;
            return -1;
        }
        usleep(1000);
    }
    return 0;
}

/* What a ring says; RING_NOT_NOW: waits. 0: try again, or -1 with errno. */
static inline int components_wait(struct components *components, int64_t result, uint32_t what,
                                  int64_t end)
{
    errno = result == RING_APART ? EPIPE : result == RING_NOT_NOW ? ETIMEDOUT : EPROTO;
    if (result != RING_NOT_NOW || components_left(end) == 0)
        return -1;
    memory_channel_wait(&components->window, what, components_left(end));
    return 0;
}

static inline int components_send(struct components *components, struct component_frame *frame,
                                  int64_t end)
{
    uint32_t whole = (uint32_t)sizeof(frame->message) + frame->message.size;
    int result;

    if (components->window.size == 0)
        return components_move(components->port, frame, whole, POLLOUT, end);
    while ((result = memory_channel_send(&components->window, frame, whole)) != 0) {
        if (components_wait(components, result, RING_SENDING, end) != 0)
            return -1;
    }
    return 0;
}

/* The next message. 0, or -1 with errno; EPROTO: it is none. */
static inline int components_receive(struct components *components, struct component_frame *frame,
                                     int64_t end)
{
    struct component_message *message = &frame->message;
    int64_t spin_end = components->spin != 0 ? components_now() + components->spin : 0;
    int64_t result;

    if (components->window.size == 0) {
        if (components_move(components->port, message, sizeof(*message), POLLIN, end) != 0)
            return -1;
        errno = EPROTO;
        return message->size > COMPONENT_DATA_SIZE
                   ? -1
                   : components_move(components->port, frame->data, message->size, POLLIN, end);
    }
    while ((result = memory_channel_receive(&components->window, frame, sizeof(*frame))) < 0) {
        if (result == RING_NOT_NOW && spin_end != 0 && components_now() < spin_end)
            continue;
        if (components_wait(components, result, RING_RECEIVING, end) != 0)
            return -1;
    }
    errno = EPROTO;
    return message->size <= COMPONENT_DATA_SIZE &&
                   result == (int64_t)(sizeof(*message) + message->size)
               ? 0
               : -1;
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
    int64_t end = components_end(timeout_ms);
    uint64_t id = ++components->calls;
    struct component_frame frame;
    struct component_message *message = &frame.message;

    if (count > COMPONENT_ARGUMENTS || strlen(name) >= COMPONENT_NAME_SIZE) {
        errno = EINVAL;
        return -1;
    }
    *message =
        (struct component_message){.size = 8 * count, .kind = COMPONENT_MESSAGE_CALL, .id = id};
    memcpy(message->name, name, strlen(name));
    memcpy(frame.data, arguments != NULL ? (const void *)arguments : "", 8 * count);
    if (components_send(components, &frame, end) != 0)
        return -1;
    do { /* answers to calls that were given up are passed over */
        if (components_receive(components, &frame, end) != 0)
            return -1;
        if (message->kind == COMPONENT_MESSAGE_CALL) {
            message->kind = COMPONENT_MESSAGE_ANSWER;
            message->error = COMPONENT_UNKNOWN;
            message->size = 0;
            if (components_send(components, &frame, end) != 0)
                return -1;
        }
    } while (message->kind != COMPONENT_MESSAGE_ANSWER || message->id != id);
    *value = (uint64_t)message->error;
    if (message->error != COMPONENT_OK || message->size < sizeof(*value)) {
        errno = message->error == COMPONENT_UNKNOWN ? ENOENT : EIO;
        return -1;
    }
    memcpy(value, frame.data, sizeof(*value));
    return 0;
}

/* Waits for a call of a component and answers it by `function`. 0, or -1 with errno. */
static inline int components_serve(struct components *components, components_function *function,
                                   void *context, int timeout_ms)
{
    int64_t end = components_end(timeout_ms);
    struct component_frame frame;
    int size;

    do {
        if (components_receive(components, &frame, end) != 0)
            return -1;
    } while (frame.message.kind != COMPONENT_MESSAGE_CALL);
    frame.message.name[COMPONENT_NAME_SIZE - 1] = '\0';
    size = function(context, frame.message.name, frame.data, frame.message.size);
    frame.message.kind = COMPONENT_MESSAGE_ANSWER;
    frame.message.error = size < 0 ? size : COMPONENT_OK;
    frame.message.size = size < 0 ? 0 : (uint32_t)size;
    return components_send(components, &frame, end);
}

#endif

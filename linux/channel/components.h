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

#include "../../abi/component_message.h"
#include "memory_channel.h"
#include "stream_channel.h"

#define COMPONENTS_PORT "/dev/virtio-ports/" COMPONENT_CHANNEL

struct components {
    struct memory_channel window; /* its `size` is 0: the channel is a stream */
    int port;
    uint64_t calls; /* made so far: ids */
    int64_t spin; /* ns: looks so long into the window before it sleeps; 0 after components_open */
    struct time_out time_out;
};

/* A function for components: `name` is what is called, `data` has `size` bytes of the caller's, and
 * room for COMPONENT_DATA_SIZE. It returns how many it has left there as its answer, or a negative
 * error; COMPONENT_UNKNOWN if it knows no such name. */
typedef int components_function(void *context, const char *name, uint8_t *data, uint32_t size);

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
    struct pollfd asked = {.events = POLLOUT};

    *components = (struct components){.calls = (uint64_t)getpid() << 32};
    components->time_out = time_out_begin(timeout_ms);
    if (memory_channel_open(window, COMPONENT_CHANNEL) != 0) {
        if (errno != ENOENT || window->size != 0)
            return -1;
        asked.fd = components->port = open(COMPONENTS_PORT, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (components->port < 0)
            return -1;
    }
    while (window->size != 0 ? !memory_channel_is_met(window)
                             : poll(&asked, 1, 0) < 0 || (asked.revents & POLLHUP) != 0) {
        if (time_out_left(&components->time_out) == 0) {
            components_close(components);
            errno = ETIMEDOUT;
            return -1;
        }
        usleep(1000);
    }
    return 0;
}

/* What a ring says; RING_NOT_NOW: waits. 0: try again, or -1 with errno. */
static inline int components_wait(struct components *components, int64_t result, uint32_t what)
{
    int left = result == RING_NOT_NOW ? time_out_left(&components->time_out) : 0;

    errno = result == RING_APART ? EPIPE : result == RING_NOT_NOW ? ETIMEDOUT : EPROTO;
    if (left != 0)
        memory_channel_wait(&components->window, what, left);
    return left != 0 ? 0 : -1;
}

static inline int components_send(struct components *components, struct component_frame *frame)
{
    uint32_t whole = (uint32_t)sizeof(frame->message) + frame->message.size;
    int result;

    if (components->window.size == 0)
        return stream_channel_move(components->port, frame, whole, POLLOUT, &components->time_out);
    while ((result = memory_channel_send(&components->window, frame, whole)) != 0) {
        if (components_wait(components, result, RING_SENDING) != 0)
            return -1;
    }
    return 0;
}

static inline int components_answer(struct components *components, struct component_frame *frame,
                                    int result)
{
    frame->message.kind = COMPONENT_MESSAGE_ANSWER;
    frame->message.error = result < 0 ? result : COMPONENT_OK;
    frame->message.size = result < 0 ? 0 : (uint32_t)result;
    return components_send(components, frame);
}

/* The next message. 0, or -1 with errno; EPROTO: it is none. */
static inline int components_receive(struct components *components, struct component_frame *frame)
{
    struct component_message *message = &frame->message;
    int64_t result, spin_end = 0;

    if (components->window.size == 0) {
        struct time_out *time_out = &components->time_out;
        int port = components->port;

        if (stream_channel_move(port, message, sizeof(*message), POLLIN, time_out) != 0)
            return -1;
        errno = EPROTO;
        return message->size > COMPONENT_DATA_SIZE
                   ? -1
                   : stream_channel_move(port, frame->data, message->size, POLLIN, time_out);
    }
    while ((result = memory_channel_receive(&components->window, frame, sizeof(*frame))) < 0) {
        if (result == RING_NOT_NOW && components->spin != 0) {
            spin_end = spin_end == 0 ? time_out_now() + components->spin : spin_end;
            if (time_out_now() < spin_end)
                continue;
        }
        if (components_wait(components, result, RING_RECEIVING) != 0)
            return -1;
    }
    errno = EPROTO;
    return result <= (int64_t)sizeof(*frame) && result == (int64_t)sizeof(*message) + message->size
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
    uint64_t id = ++components->calls;
    struct component_frame frame;
    struct component_message *message = &frame.message;

    errno = EINVAL;
    if (count > COMPONENT_ARGUMENTS || strlen(name) >= COMPONENT_NAME_SIZE)
        return -1;
    components->time_out = time_out_begin(timeout_ms);
    *message =
        (struct component_message){.size = 8 * count, .kind = COMPONENT_MESSAGE_CALL, .id = id};
    memcpy(message->name, name, strlen(name));
    memcpy(frame.data, arguments != NULL ? (const void *)arguments : "", 8 * count);
    if (components_send(components, &frame) != 0)
        return -1;
    do { /* answers to calls that were given up are passed over */
        if (components_receive(components, &frame) != 0 ||
            (message->kind == COMPONENT_MESSAGE_CALL &&
             components_answer(components, &frame, COMPONENT_UNKNOWN) != 0))
            return -1;
    } while (message->kind != COMPONENT_MESSAGE_ANSWER || message->id != id);
    *value = (uint64_t)message->error;
    errno = message->error == COMPONENT_UNKNOWN ? ENOENT : EIO;
    if (message->error != COMPONENT_OK || message->size < sizeof(*value))
        return -1;
    memcpy(value, frame.data, sizeof(*value));
    return 0;
}

/* Waits for a call of a component and answers it by `function`. 0, or -1 with errno. */
static inline int components_serve(struct components *components, components_function *function,
                                   void *context, int timeout_ms)
{
    struct component_frame frame;

    components->time_out = time_out_begin(timeout_ms);
    do {
        if (components_receive(components, &frame) != 0)
            return -1;
    } while (frame.message.kind != COMPONENT_MESSAGE_CALL);
    frame.message.name[COMPONENT_NAME_SIZE - 1] = '\0';
    return components_answer(components, &frame,
                             function(context, frame.message.name, frame.data, frame.message.size));
}

#endif

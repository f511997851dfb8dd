/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stream channels in a Linux tenant, for a process that has opened the port of one, such as
 * /dev/virtio-ports/NAME, with O_NONBLOCK: pieces as a whole, with a time-out. C11; link nothing.
 */
#ifndef COTENANT_LINUX_CHANNEL_STREAM_CHANNEL_H
#define COTENANT_LINUX_CHANNEL_STREAM_CHANNEL_H

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds, -1: none. They run from the first look, so what does not wait needs no clock. */
struct time_out {
    int milliseconds;
    int64_t end; /* ns; 0: nobody has looked */
};

static inline struct time_out time_out_begin(int milliseconds)
{
    return (struct time_out){.milliseconds = milliseconds};
}

/* Nanoseconds of the clock. */
static inline int64_t time_out_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* The milliseconds that are left, as poll() has them. */
static inline int time_out_left(struct time_out *time_out)
{
    int64_t now;

    if (time_out->milliseconds < 0)
        return -1;
    now = time_out_now();
    if (time_out->end == 0)
        time_out->end = now + time_out->milliseconds * 1000000ll;
    return time_out->end <= now ? 0 : (int)((time_out->end - now + 999999) / 1000000);
}

/* All of `size` bytes of the port, in (POLLIN) or out (POLLOUT). 0, or -1 with errno; EPIPE: the
 * other end has hung up. */
static inline int stream_channel_move(int port, void *bytes, uint32_t size, short way,
                                      struct time_out *time_out)
{
    uint8_t *next = bytes;

    while (size > 0) {
        struct pollfd asked = {.fd = port, .events = way};
        int ready = poll(&asked, 1, time_out_left(time_out));
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

#endif

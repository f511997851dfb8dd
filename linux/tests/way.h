/* SPDX-License-Identifier: BSD-2-Clause */
/* How the benchmarks of channels measure both directions of a way to another process or tenant. */
#ifndef COTENANT_LINUX_TESTS_WAY_H
#define COTENANT_LINUX_TESTS_WAY_H

#include "common.h"

#include <unistd.h>

#include "channel_exchange.h"

#define WARM_UP 20

/* A way to the other end and back. */
struct way {
    const char *name;
    int out;
    int back;
};

static uint64_t ticks_per_second;

static inline uint64_t ticks(void)
{
    uint64_t now;

    __asm__ volatile("rdtime %0" : "=r"(now));
    return now;
}

/* By the clock of the kernel, over a moment. */
static inline void find_frequency(void)
{
    int64_t begun = now_ns();
    uint64_t first = ticks();

    while (now_ns() - begun < 100000000) {
    }
    ticks_per_second = (ticks() - first) * 10;
    ticks_per_second = (ticks_per_second + 5000) / 10000 * 10000;
}

static inline void read_all(int file, void *bytes, size_t size)
{
    uint8_t *next = bytes;

    while (size > 0) {
        ssize_t count = read(file, next, size);

        if (count <= 0)
            give_up("read");
        next += count;
        size -= (size_t)count;
    }
}

static inline void write_all(int file, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;

    while (size > 0) {
        ssize_t count = write(file, next, size);

        if (count <= 0)
            give_up("write");
        next += count;
        size -= (size_t)count;
    }
}

static inline double ns_of(uint64_t sum, unsigned long count)
{
    return (double)sum * 1e9 / (double)ticks_per_second / (double)count;
}

/* Exchanges COUNT messages and prints the averages as the programs say. */
static inline void exchange(const char *program, const struct way *way, unsigned long count)
{
    struct exchange message = {.kind = EXCHANGE_PING};
    struct exchange answer;
    uint64_t out = 0;
    uint64_t back = 0;
    uint64_t whole = 0;

    for (unsigned long i = 0; i < count + WARM_UP; i++) {
        uint64_t done;

        message.sent = ticks();
        write_all(way->out, &message, sizeof(message));
        read_all(way->back, &answer, sizeof(answer));
        done = ticks();
        if (i < WARM_UP)
            continue;
        out += answer.on_way;
        back += done - answer.sent;
        whole += done - message.sent;
    }
    printf("%s: %s out=%.0f back=%.0f round=%.0f\n", program, way->name, ns_of(out, count),
           ns_of(back, count), ns_of(whole, count));
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Time for waits and deadlines. */
#ifndef COTENANT_COHOST_NOW_MS_H
#define COTENANT_COHOST_NOW_MS_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock that nobody sets. Any thread. */
static inline int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif

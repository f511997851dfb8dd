/* SPDX-License-Identifier: BSD-2-Clause */
/* What the test programs share: the clock, arguments, and the way to give up. */
#ifndef COTENANT_LINUX_TESTS_COMMON_H
#define COTENANT_LINUX_TESTS_COMMON_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NANOSECONDS_PER_SECOND 1000000000LL

/* Ends the program with status 2 ("could not test"): 1 is for "tested, and it is wrong". */
static inline _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(2);
}

/* Nanoseconds of the monotonic clock. */
static inline int64_t now_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        give_up("clock_gettime");
    return now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

/* A number (decimal, 0x... or 0...) out of the command line; ends the program when it is none. */
static inline unsigned long parse_number(const char *text)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 0);
    if (end == text || *end != '\0')
        errno = EINVAL;
    if (errno != 0)
        give_up(text);
    return value;
}

/* The moment that lies `seconds` (as written on the command line) ahead. */
static inline int64_t deadline_after(const char *seconds)
{
    return now_ns() + (int64_t)parse_number(seconds) * NANOSECONDS_PER_SECOND;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict of a one-purpose payload. The last line of its output is "PASS name" or
 * "FAIL name: why", then the tenant shuts down. The payload's name is set by the build.
 */
#ifndef COTENANT_RT_CHECK_H
#define COTENANT_RT_CHECK_H

#include <stdbool.h>

__attribute__((noreturn)) void check_pass(void);
__attribute__((noreturn, format(printf, 1, 2))) void check_fail(const char *format, ...);

/* Fails with a formatted reason unless `condition` holds. */
#define check(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            check_fail(__VA_ARGS__);                                                               \
        }                                                                                          \
    } while (false)

#endif

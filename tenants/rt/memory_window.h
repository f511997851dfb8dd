/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the device tree says that a memory channel's window and doorbell are (docs/abi/tenant.md).
 */
#ifndef COTENANT_RT_MEMORY_WINDOW_H
#define COTENANT_RT_MEMORY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct memory_window {
    uint64_t base;
    uint64_t size;     /* bytes */
    uint64_t doorbell; /* address of the register */
    uint32_t end;      /* which of the two ends this is */
};

/* The window of the channel of that name. False: there is none. */
bool memory_window_find(struct memory_window *window, const char *name);

#endif

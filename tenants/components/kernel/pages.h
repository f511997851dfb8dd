/* SPDX-License-Identifier: BSD-2-Clause */
/* Free pages. A page that was given back is given out again, as zeros. */
#ifndef COTENANT_COMPONENTS_PAGES_H
#define COTENANT_COMPONENTS_PAGES_H

#include <stdint.h>

/* The memory from `start` to `end`, of which whole pages are used. */
void pages_init(uintptr_t start, uintptr_t end);

/* A page of zeros, NULL if there is none. */
void *pages_take(void);

/* `count` pages one behind the other, of those that were never taken; NULL. */
void *pages_take_row(uint64_t count);

void pages_give(void *page);

#endif

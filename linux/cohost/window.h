/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that the host's kernel leaves to guests, if its configuration says so: always at the
 * same addresses, so that a guest that was saved finds its own again. A process has a part of it
 * for as long as it runs.
 */
#ifndef COHOST_WINDOW_H
#define COHOST_WINDOW_H

#include <stdbool.h>

#include "ranges.h"

/* All of the ranges are in the window. */
bool window_has(const struct range *window, const struct range *ranges, unsigned count);

/* Takes certain ranges in the window. False: another process has some of them. */
bool window_claim(const struct range *ranges, unsigned count);

/* Takes range->size bytes wherever they are free in the window. False: they are nowhere. */
bool window_find(const struct range *window, struct range *range);

/*
 * Makes ranges that are claimed the guest's memory, which is to be cleared (clearing.h) where
 * nobody has said that it is. It cannot be shared.
 */
void window_take(const struct range *ranges, unsigned count);

/* All of the guest's memory is clear, and stays so until it is taken again. */
void window_is_clear(void);

#endif

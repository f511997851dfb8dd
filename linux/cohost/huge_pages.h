/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the guest's memory from the host: huge pages of this process. */
#ifndef COHOST_HUGE_PAGES_H
#define COHOST_HUGE_PAGES_H

#include <stdbool.h>

#include "ranges.h"

/*
 * Takes memory from the host: `size` bytes, rounded up, in so many PMP entries. `share`: other
 * processes are to map it. `suffices` tells whether what is chosen will do, by its ranges: if not,
 * more of the host's memory is looked through, as far as that helps. One process at a time may do
 * this.
 */
void huge_pages_take(uint64_t size, unsigned entries, bool share, bool (*suffices)(void));

/* The same for certain ranges, which do not overlap. */
void huge_pages_take_at(const struct range *ranges, unsigned count, bool share);

/* Takes no more than the page that this program and the monitor share. */
void huge_pages_take_shared(void);

#endif

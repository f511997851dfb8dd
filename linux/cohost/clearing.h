/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory in which another guest's data may be: none of it is left when the guest's own code begins.
 * Most guests clear theirs when they end, so that the next one need not.
 * This process writes what it loads. The rest clears the guest's first hart itself, with code of
 * this program that it executes before anything else, as it sees that memory without its being
 * mapped.
 */
#ifndef COHOST_CLEARING_H
#define COHOST_CLEARING_H

#include <stdint.h>

/* What clearing_begin() takes up at most, bytes; a multiple of a page. */
#define CLEARING_SIZE 4096

/* All of the guest's memory is to be cleared, */
void clearing_need(void);

/* but for what has been written to it, or is clear: `size` bytes from the beginning of a page. */
void clearing_written(uint64_t address, uint64_t size);

/*
 * Returns where the guest is to begin so that all is clear when it gets to `entry`: there, if
 * nothing is to be cleared, or in the CLEARING_SIZE bytes at `place`, where nothing is yet. Ends
 * the program if there is no such place.
 */
uint64_t clearing_begin(uint64_t place, uint64_t entry);

/*
 * For a guest that does nothing else: makes it clear all of its memory and power off. Returns where
 * it begins. After that the CLEARING_SIZE bytes there are left, for clearing_end().
 */
uint64_t clearing_prepare(void);
void clearing_end(void);

#endif

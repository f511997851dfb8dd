/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads kernel and initrd into the guest's memory. */
#ifndef COHOST_KERNEL_H
#define COHOST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranges.h"

#define NO_FILE (-1)

/* A file's content. */
struct content {
    const char *name;
    int file; /* or NO_FILE: it is in memory alone */
    uint8_t *bytes;
    size_t size;
};

struct content content_read(const char *name);

struct loaded {
    uint64_t entry;
    struct range initrd; /* size 0: none */
    uint64_t tree;       /* where the device tree goes, GUEST_TREE_SIZE bytes */
    uint64_t clearing;   /* where there is room for clearing_begin() */
};

/*
 * Whether the guest's memory has room for them where kernel_load() puts them, and for what a stock
 * Linux takes in one piece as it starts.
 */
bool kernel_has_room(const struct content *kernel, const struct content *initrd,
                     const struct content *more);

/*
 * Puts kernel and initrd into the guest's memory. `more` is appended to the initrd, which the
 * kernel reads as one archive behind the other; both may be of size 0.
 */
struct loaded kernel_load(const struct content *kernel, const struct content *initrd,
                          const struct content *more);

#endif

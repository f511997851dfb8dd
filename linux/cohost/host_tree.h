/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host's device tree says, and a guest's repeats. */
#ifndef COHOST_HOST_TREE_H
#define COHOST_HOST_TREE_H

#include <stdint.h>

#include "ranges.h"

struct host_tree {
    const void *tree;
    struct range registers; /* the monitor's, for guests */
    struct range window; /* of the host's memory, which its kernel leaves to guests; size 0: none */
    struct range plic;
    int plic_node;
    int cpu_node; /* one of them: all are the same to a guest */
    uint32_t timebase;
};

/* Reads it; ends the program where this is no host of guests. */
struct host_tree host_tree_read(void);

/* A property of bytes; NULL and length 0: there is none. */
const void *host_tree_property(const struct host_tree *host, int node, const char *name,
                               int *length);

#endif

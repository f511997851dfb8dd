/* SPDX-License-Identifier: BSD-2-Clause */
/* The device tree of the guest. */
#ifndef COHOST_GUEST_TREE_H
#define COHOST_GUEST_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "bus.h"
#include "host_tree.h"

/* Bytes that it takes at most. */
#define GUEST_TREE_SIZE 0x10000

struct guest_tree_facts {
    const struct host_tree *host;
    unsigned cpus;
    const char *arguments; /* the kernel command line */
    struct range initrd;   /* size 0: none */
};

/* Writes the tree, of the memory and the devices that are there, into GUEST_TREE_SIZE bytes. */
void guest_tree_write(void *tree, const struct guest_tree_facts *facts);

#endif

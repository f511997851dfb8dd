/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CLINT that a tenant in machine mode finds where the board has its own (RISC-V ACLINT
 * specification 1.0, chapters 2 and 3): msip and mtimecmp of each of its harts, and mtime, which is
 * all tenants' and not to be set.
 *
 * The registers are in memory, where any hart of the tenant writes them. The hart that one is for
 * does what it says then: at once, or when it gets the message, which says no more than that it has
 * been written.
 */
#ifndef COTENANT_FEATURES_CLINT_CLINT_H
#define COTENANT_FEATURES_CLINT_CLINT_H

#include <stdint.h>

#include "core/table.h"
#include "core/vhart.h"

/* Registers of a vhart. */
#define CLINT_MSIP 0x1u
#define CLINT_MTIMECMP 0x2u

/* All accesses are atomic. */
struct clint_vhart {
    uint64_t *mtimecmp;
    uint32_t msip;
    uint32_t written; /* by other harts: CLINT_..., which its own has not looked at yet */
};

extern struct clint_vhart clint_vharts[COTENANT_MAX_VHARTS];

static inline struct clint_vhart *clint_of(const struct vhart *vhart)
{
    return &clint_vharts[vhart_index(vhart)];
}

/* These registers of a vhart of this hart, loaded or not, have been written. */
typedef void clint_listener(struct vhart *vhart, uint32_t registers);

TABLE(clint_listener *const, clint_listeners);

#define CLINT_LISTENER(function)                                                                   \
    static clint_listener *const function##_listener TABLE_ENTRY(clint_listeners) = (function)

#endif

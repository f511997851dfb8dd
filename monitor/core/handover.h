/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the previous boot stage hands over besides the bundle. A feature that uses it registers an
 * entry, whose functions boot calls on the boot hart, the first of them before the monitor has
 * moved itself: no variable outside of .data.
 */
#ifndef COTENANT_CORE_HANDOVER_H
#define COTENANT_CORE_HANDOVER_H

#include <stdint.h>

#include "core/bundle_check.h"
#include "core/table.h"

struct handover {
    uint64_t argument;    /* register a2 at the entry; an address or not, as that stage likes */
    uint64_t tree;        /* register a1: where a device tree is, or not; for check() */
    uint64_t loaded_at;   /* where monitor and bundle lie until they move */
    uint64_t loaded_size; /* bytes */
};

struct handover_user {
    /*
     * May it be used? Good, and without a look at it, if the bundle does not ask for it. What lies
     * where the monitor moves to has to be in the store that follows `bundle` when this returns.
     */
    struct check_result (*check)(const struct handover *handover, const struct bundle *bundle);

    /* Takes it into the store that follows `copy`, the bundle where it is to stay. */
    void (*fetch)(const struct handover *handover, struct bundle *copy);

    /* Clears what was handed over, which is some tenant's memory, once no hart can be there. */
    void (*clear)(const struct handover *handover, const struct bundle *copy);
};

TABLE(const struct handover_user, handover_users);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug triggers of a vhart, SBI section 19. While it has its hart they are the hart's triggers;
 * else they are here, and the hart has none, so that no vhart meets those of another. They never
 * fire in M-mode: calls.c lets none in that names it.
 *
 * A vhart that has installed one is attended (core/attended.h). Called by the
 * vhart's own hart, interrupts off.
 */
#ifndef COTENANT_FEATURES_DBTR_TRIGGERS_H
#define COTENANT_FEATURES_DBTR_TRIGGERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"
#include "features/dbtr/trigger.h"

struct triggers {
    bool attended;   /* because of them */
    uint64_t memory; /* address of the memory shared with the tenant, or 0 */
    struct trigger each[MOST_TRIGGERS];
};

extern struct triggers vhart_triggers[COTENANT_MAX_VHARTS];

static inline struct triggers *triggers_of(const struct vhart *vhart)
{
    return &vhart_triggers[vhart_index(vhart)];
}

/* Notes what the hart itself writes to the vhart's triggers in it: that they were hit. */
void triggers_refresh(struct vhart *vhart);

/*
 * Puts all triggers of the vhart, which has the hart, there, and returns MOST_TRIGGERS; or the
 * first one that the hart does not take as it is. Then none is there, until the scheduler, which is
 * asked, gives the vhart the hart again: to put back those of before takes too long for the call.
 */
uint32_t triggers_apply(struct vhart *vhart);

/* The vhart gets its hart; nothing if it has no triggers. */
void triggers_enter(struct vhart *vhart);

/* The vhart loses its hart. */
void triggers_leave(struct vhart *vhart);

/* Forgets them and the shared memory. */
void triggers_end(struct vhart *vhart);

#endif

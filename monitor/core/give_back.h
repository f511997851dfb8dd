/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant gives back its devices and interrupts, because it stops or another one of its group has
 * its turn: a part at a time, each a few hundred instructions at most, so that its caller can look
 * at interrupts in between. Interrupts off, shared lock held, on any hart.
 *
 * What gives tenants devices registers how it takes them back, at link time:
 *
 *   GIVE_BACK(reset_some);
 */
#ifndef COTENANT_CORE_GIVE_BACK_H
#define COTENANT_CORE_GIVE_BACK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"
#include "core/tenant.h"

/* A part has room for so many resets of simple devices, or for one of a larger device. */
#define GIVE_BACK_ROOM 4

/*
 * Resets devices that the tenant has, so that they write to no memory any more and have withdrawn
 * their interrupts, as many as there is *room for. `*next` is 0 for the first part, and otherwise
 * what the function has made of it. Returns whether all are reset; if not, because another tenant
 * has to do something first, tenant->given_back.waits is true.
 */
typedef bool give_back_part(struct tenant *tenant, uint16_t *next, unsigned *room);
TABLE(give_back_part *const, gives_back);
#define GIVE_BACK(function)                                                                        \
    static give_back_part *const gives_back_##function TABLE_ENTRY(gives_back) = (function)

/*
 * Everything that the tenant has enabled, claimed or not answered yet is undone, in steps. Its
 * devices have been reset. Begins with step 0, and returns the step that comes next when the hart
 * is wanted; 0: there is none. The feature that gives tenants interrupts replaces the function: it
 * lies in a stretch whose length is held.
 */
uint32_t give_back_interrupts(struct tenant *tenant, uint32_t step);

/*
 * Resets the next part: first the devices, then the interrupts. False: nothing is left now. It
 * begins where give_back_begin() was called last.
 */
bool give_back_step(struct tenant *tenant);

static inline void give_back_begin(struct tenant *tenant)
{
    tenant->given_back = (struct given_back){0};
}

#endif

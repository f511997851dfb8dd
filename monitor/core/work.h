/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The background work of the monitor, for all tenants: moving bytes of consoles, resetting the
 * devices of a stopped tenant, checking heartbeats. Each kind registers itself at link time:
 *
 *   WORK(watch, watch_deadline, step);
 *
 * It is done in small steps on one hart, the boot hart, at most one in each WORK_STEP_US and only
 * while there is something to do, so that neither a tenant that prints a flood nor a line that
 * delivers one can take more than a fixed small share of the hart, and at most half of it where
 * other harts let each step wait for the lock. The works take turns, a step each; between those
 * that have nothing to do the monitor looks at interrupts. entry/run.c calls the step when it is
 * due. M-mode with interrupts off, shared lock held.
 */
#ifndef COTENANT_CORE_WORK_H
#define COTENANT_CORE_WORK_H

#include <stdint.h>

#include "core/hart.h"
#include "core/table.h"

#define WORK_STEP_US 50

/*
 * A due step waits at most this long for each vhart of the hart that is below the running one; then
 * it is done, so that a tenant that never rests cannot keep the user from stopping it. It is done
 * in the time of the lowest vhart that does not rest, so that one above it, which runs only for
 * moments, is not delayed by it.
 */
#define WORK_PATIENCE_US 1000

/* What a step returns: bits. */
#define WORK_NOTHING 0u   /* there was nothing to do */
#define WORK_DONE 0x1u    /* others have their turn first */
#define WORK_SAME 0x2u    /* in the middle of a line for the log: this work has the next step too */
#define WORK_AT_ONCE 0x4u /* it waits for nothing: the next step comes without a pause */

struct work {
    /*
     * The moment, in ticks of mtime, from which a step has something to do without a call of
     * work_post(); TIME_NEVER: there is none. NULL: always TIME_NEVER.
     */
    uint64_t (*deadline)(void);
    /*
     * Does a step of a few hundred instructions. Also called when there is nothing to do, and then
     * returns soon.
     */
    unsigned (*step)(uint64_t now);
};

TABLE(const struct work, works);

#define WORK(name, deadline, step)                                                                 \
    static const struct work work_of_##name TABLE_ENTRY(works) = {(deadline), (step)}

/* The steps are this hart's. Until now nothing is due. */
void work_init(struct hart *hart);

/* There is something to do: the next step is soon. Any hart. */
void work_post(void);

/* The hart of the steps has been asked for one by another hart (MAIL_WORK). */
void work_begin(void);

/*
 * Does a step, which was due by the hart's work_due, and sets that anew. It ends early when a
 * machine interrupt becomes pending, but has then asked one work at least: a tenant could see to it
 * that the hart is wanted in each step.
 */
void work_step(uint64_t now);

#endif

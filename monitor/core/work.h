/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the monitor does beside tenants, for all of them: moving bytes of consoles, resetting what a
 * stopped tenant had, looking at heartbeats.
 *
 * It is done in small steps on one hart, the boot hart, at most one in each WORK_STEP_US and only
 * while there is something to do, so that neither a tenant that prints a flood nor a line that
 * delivers one can take more than a fixed small share of the hart. Here is when the next step is
 * due; entry/run.c calls the step. M-mode with interrupts off.
 */
#ifndef COTENANT_CORE_WORK_H
#define COTENANT_CORE_WORK_H

#include <stdint.h>

#include "core/hart.h"

#define WORK_STEP_US 50

/*
 * A step that is due waits as long as this while a vhart runs that is not of the lowest priority on
 * the hart: then it is done all the same, so that a tenant that never rests cannot keep the user
 * from stopping it.
 */
#define WORK_PATIENCE_US 1000

/* The steps are this hart's. Until now nothing is due. */
void work_init(struct hart *hart);

/* There is something to do: the next step is soon. Any hart, shared lock held. */
void work_post(void);

/* The hart of the steps has been asked for one by another hart (MAIL_WORK). */
void work_begin(void);

/* The next step is due WORK_STEP_US from now: there is more to do, or the hart is needed first. */
void work_put_off(uint64_t now);

/*
 * After a step, which knows what is left to do, shared lock held: the next one comes soon, or not
 * before `due` unless work_post() is called.
 */
void work_go_on(uint64_t now);
void work_rest(uint64_t due);

/* After a step that left what does not wait for anything: the next one comes without a pause. */
void work_hurry(uint64_t now);

#endif

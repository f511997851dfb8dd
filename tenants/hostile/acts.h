/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kinds of attacks: each function does one action that `random` chooses and says how it ended.
 * An action that got what no tenant may get ends the tenant with FAIL (rt/check.h).
 * choose_begin() comes first. Interrupts are off; the tenant may suspend its hart.
 */
#ifndef COTENANT_HOSTILE_ACTS_H
#define COTENANT_HOSTILE_ACTS_H

#include "hostile/choose.h"

/* On any hart. */
/* SBI calls of every extension and of none, with arguments of every kind. */
enum outcome act_call(struct random *random);
/* Calls that kernels make all the time: timers, interrupts, fences, with arguments that do work. */
enum outcome act_hot_call(struct random *random);
/* PMU, SSE, DBTR, STA and FWFT with arguments that get far. */
enum outcome act_feature(struct random *random);
/* A load, store or jump to an address of another's, which has to fault. */
enum outcome act_foreign(struct random *random);
/* Accesses of every width to the registers of the tenant's own devices, and beside them. */
enum outcome act_register(struct random *random);
/* Accesses through page tables that another hart changes meanwhile. */
enum outcome act_peek(struct random *random);
/* Short sleeps of every kind. */
enum outcome act_nap(struct random *random);
/* A request to the monitor about guests, or a turn of one; after act_guests_begin(). */
enum outcome act_guests(struct random *random);
bool act_guests_begin(void);

/* On the first hart only. */
/* Instructions with CSRs, privileged ones, and ones that do not exist. */
enum outcome act_instruction(struct random *random);
/* The same as act_foreign() and act_register() through page tables of every form. */
enum outcome act_pages(struct random *random);
/* A driver's step that breaks the protocol of a virtual device; after act_rings_begin(). */
enum outcome act_rings(struct random *random);
bool act_rings_begin(void);
/* Suspends the system to RAM, for a member of a group. */
enum outcome act_suspend(struct random *random);

#endif

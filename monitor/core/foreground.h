/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The foreground policy: a group of tenants that each have the same harts and devices, one at a
 * time. The active one has them all; the others have nothing but their memory.
 *
 * The active one leaves by itself, by suspending to RAM (SBI SUSP), or ends. Then comes whoever was
 * asked for, else the next of the group in turn. Its devices and its interrupts are reset in
 * between, so that no tenant finds what another one left there.
 *
 * Interrupts off, shared lock held, on any hart. The caller goes on to hart_schedule(). A tenant
 * without a group has its harts and devices all the time.
 */
#ifndef COTENANT_CORE_FOREGROUND_H
#define COTENANT_CORE_FOREGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

/* Makes the first member of each group that starts at boot the active one; the first if none does.
 */
void foreground_init(void);

/* The tenant's devices and interrupt sources are its own at present. */
bool foreground_has_devices(const struct tenant *tenant);

/* The tenant would not be in another tenant's way if it ran. */
bool foreground_is_free_for(const struct tenant *tenant);

/* A tenant that foreground_is_free_for() is about to run. */
void foreground_take(struct tenant *tenant);

/* The tenant whose turn it is if this one, active if it is in a group, suspends; NULL: none. */
struct tenant *foreground_next(const struct tenant *tenant);

/*
 * The vhart, of this hart and the last of its tenant that is not stopped, suspends to RAM: the next
 * one of the group gets the harts and devices, by foreground_go_on(), and it goes on at `address`
 * with a1 = `argument` when it is its turn again. Returns false if there is no next one: the vhart
 * is to nap.
 */
bool foreground_suspend(struct vhart *vhart, uint64_t address, uint64_t argument);

/*
 * Goes on with the switch that the vhart, which has the hart, leaves or comes by: that is done in
 * its own time (vhart->in_switch), before anything of its tenant runs there, which could undo a
 * part, and with looks at interrupts in between. The caller asks the scheduler again. Shared lock
 * not held.
 */
void foreground_go_on(struct vhart *vhart);

/* A suspend of the tenant was refused: says so, once, if a switch waits for it. */
void foreground_refused(const struct tenant *tenant, const char *reason);

/*
 * The user asks for a tenant. It comes at once if no tenant is active, else when the active one has
 * suspended. Returns false, with nothing done, if it has no group, is active, or its state does
 * not allow it.
 */
bool foreground_request(struct tenant *tenant);

/* A vhart of this hart, which naps after foreground_suspend() refused, may have to leave. */
void foreground_end_nap_here(struct vhart *vhart);

/*
 * Tells of a tenant that has been suspended or resumed or starts, which a switch leaves to the
 * console service, as far as the hart is not wanted; false: there is nothing to tell.
 */
bool foreground_tell(void);

/* When foreground_look() has something to do, or TIME_NEVER. */
uint64_t foreground_deadline(void);

/* Deals with a tenant that was asked to suspend and has not done so in time; false: none. */
bool foreground_look(uint64_t now);

#endif

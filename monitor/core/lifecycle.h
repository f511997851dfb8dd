/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to tenants and vharts: start, stop, reboot, crash, wake.
 *
 * Interrupts off, shared lock held, on any hart: what concerns vharts of other harts is done by
 * messages to them (core/messages.h). The caller goes on to hart_schedule(), which acts on the
 * outcome.
 */
#ifndef COTENANT_CORE_LIFECYCLE_H
#define COTENANT_CORE_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

/* At boot, when the other harts have no schedule of their own to look at yet: loads and runs it. */
void tenant_start_at_boot(struct tenant *tenant);

/*
 * Fills or clears the memory of a tenant that is neither running nor being loaded, for `purpose`;
 * its memory is cleared first if it has been used. One that is loaded, and is to run, only starts.
 * This happens in the tenant's own time.
 */
void tenant_prepare(struct tenant *tenant, enum tenant_purpose purpose);

/*
 * Some loading for a tenant whose first vhart has the hart, until a machine interrupt is pending or
 * a few pieces are done; see loader.h. The caller asks the scheduler again. Shared lock not held.
 */
void tenant_load_step(struct tenant *tenant);

/*
 * Takes everything from a tenant: harts, interrupts, timers, input. `state` tells why, and is its
 * state when all harts have let go of it and what they leave is done (core/teardown.h); until then
 * it is TENANT_STOPPING, and halting it takes back that it starts anew.
 */
void tenant_halt(struct tenant *tenant, enum tenant_state state);

/* The same, and then goes on to load it, start it anew or clear its memory. */
void tenant_halt_for(struct tenant *tenant, enum tenant_purpose purpose);

/*
 * Halts it, and has `reason` told on the monitor's log, which must be a constant; it starts anew if
 * its description wants that.
 */
void tenant_shut_down(struct tenant *tenant, const char *reason);
void tenant_reboot(struct tenant *tenant);

/*
 * The same for a vhart that cannot go on: its state is then crashed. Its trap handler cannot be
 * fetched (tenant_crash), or it says so itself by the call that it makes (tenant_fail).
 */
void tenant_crash(struct vhart *vhart, const uint64_t values[CRASH_PC]);
void tenant_fail(struct vhart *vhart);

/*
 * A stopped vhart is to start in S-mode at `address` with a0 = its id and a1 = `argument`. It is
 * VHART_START_PENDING until its own hart calls vhart_start_here(): for another hart by
 * REQUEST_START.
 */
void vhart_prepare_start(struct vhart *vhart, uint64_t address, uint64_t argument);

/*
 * The devices of the tenant reach its memory and no other from now on, or (`open` false) nothing
 * any more, entry by entry of the units that confine them. False: the hart is wanted, call again
 * before a vhart of the tenant runs, or before the devices are another one's. Replaced as the next
 * one.
 */
bool tenant_open_memory(const struct tenant *tenant, bool open);

/*
 * The interrupts of devices that the tenant's description names are its own from now on, whichever
 * tenant had them before: that one has been reset. Replaced as the next one.
 */
void tenant_take_sources(const struct tenant *tenant);

/*
 * The vhart, of this hart, is set up to begin a life or to go on after a suspend of its tenant: the
 * hart's interrupts of devices are its own from now on. The feature that passes them on replaces
 * the function, which lies in a stretch whose length is held.
 */
void vhart_take_interrupts(struct vhart *vhart);

/*
 * The vhart, of this hart and the last of its tenant that is not stopped, suspends to RAM for
 * longer: the tenant, which has given back all else, gives up its harts and keeps its memory. The
 * vhart goes on at its start_address, with its start_argument, at tenant_resume(); that is for
 * core/foreground.h.
 */
void tenant_become_dormant(struct vhart *vhart);

/* Returns the vhart by which it goes on, if that is of this hart; else NULL. */
struct vhart *tenant_resume(struct tenant *tenant);

/* Off the hart, which is this one, whatever it is doing, and nothing of it is kept. */
void vhart_release(struct vhart *vhart);

/* The requests of other harts for vharts of this one. They do nothing if they are out of date. */
void tenant_halt_here(struct vhart *vhart);
void tenant_load_here(struct tenant *tenant);
void vhart_start_here(struct vhart *vhart);

/*
 * A vhart with VHART_RESUME_PENDING has the hart, this one, for what there is to do before it goes
 * on (vhart.loading): it goes on now.
 */
void vhart_resume_here(struct vhart *vhart);

/* No tenant runs any more. */
bool lifecycle_is_over(void);

/* The machine is to be powered off, which core/power_off.c does: it is over, or the user quits. */
bool lifecycle_leads_to_power_off(void);

/* The user quits: from now on no tenant begins to run by itself or by a command. */
void lifecycle_quit(void);
bool lifecycle_is_quitting(void);

/* The user has stopped or loaded a tenant: the machine stays on although none runs, until the
 * user quits. */
void lifecycle_keep_on(void);

#endif

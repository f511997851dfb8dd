/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to a tenant, a vhart or a hart is announced by the code that makes it happen. A file
 * that has to do something about it registers a function for that, at link time, and no other file
 * names it:
 *
 *   HOOK(tenant_begins, watch_tenant);
 *
 * The linker script (boot/monitor.ld) gathers the functions of each event in a table; their order
 * is that of the files. All are called with interrupts off. Announcing is inline: it lies in paths
 * whose length is held.
 */
#ifndef COTENANT_CORE_HOOKS_H
#define COTENANT_CORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

struct console_mux;
struct dormant_state;
struct hart;
struct heartbeats;
struct heartbeats_command;
struct tenant;
struct vhart;

/*
 * `parameters` and `arguments` come with their parentheses.
 *
 * NOLINTBEGIN(bugprone-macro-parentheses)
 */
#define HOOK_TYPE(event, parameters)                                                               \
    typedef void event##_hook parameters;                                                          \
    TABLE(event##_hook *const, event)

#define EVENT(event, parameters, arguments)                                                        \
    HOOK_TYPE(event, parameters);                                                                  \
    static inline void event parameters                                                            \
    {                                                                                              \
        FOR_EACH_IN_TABLE(event, hook)                                                             \
        {                                                                                          \
            (*hook) arguments;                                                                     \
        }                                                                                          \
    }

/* Of tenants; the shared lock is held. On any hart. */

/* At boot: it and its vharts are as the bundle describes them. */
EVENT(tenant_is_set_up, (struct tenant * tenant), (tenant))

/* Its images are in place and its first vhart starts. */
EVENT(tenant_begins, (struct tenant * tenant), (tenant))

/* It does not run any more: it has stopped, or suspends for longer. */
EVENT(tenant_leaves, (struct tenant * tenant), (tenant))

/* It has stopped, and does not start again by itself. */
EVENT(tenant_ended, (struct tenant * tenant), (tenant))

/* Something is known of it only when asked for: *only_faults if it does nothing but fault. */
EVENT(tenant_is_looked_at, (struct tenant * tenant, bool *only_faults), (tenant, only_faults))

/* The devices that `before` had are the tenant's from now on. */
EVENT(tenant_takes_over, (struct tenant * tenant, const struct tenant *before), (tenant, before))

/* It is asked to suspend, for another one of its group. */
EVENT(tenant_is_asked_to_suspend, (const struct tenant *tenant), (tenant))

/* The user is shown what is known of its heartbeats, or wants that changed: core/heartbeats.h. */
EVENT(heartbeats_shown, (const struct tenant *tenant, struct heartbeats *shown), (tenant, shown))
EVENT(heartbeats_change, (struct tenant * tenant, struct heartbeats_command *command),
      (tenant, command))

/* The user is shown how long the vhart could have run while another one had its hart; ticks. */
EVENT(steal_time_shown, (const struct vhart *vhart, uint64_t *stolen), (vhart, stolen))

/* Of vharts; by the vhart's own hart. */

/*
 * A vhart that is attended (core/attended.h) gets the hart. Between two hooks the caller looks at
 * interrupts, so each is short and may be called again for the same vhart before the vhart has run;
 * one that has not come to its end sets hart.reschedule. Called one by one by entry/run.c.
 */
HOOK_TYPE(vhart_enters, (struct vhart * vhart));

/* A life of it begins: its world is as SBI starts a hart. Not loaded. With the shared lock. */
EVENT(vhart_begins, (struct vhart * vhart), (vhart))

/* By REQUEST_ROUTING: another hart has changed what interrupts it. With the shared lock. */
EVENT(vhart_is_routed, (struct vhart * vhart), (vhart))

/* It loses the hart. */
EVENT(vhart_leaves, (struct vhart * vhart), (vhart))

/* It has stopped: what a feature keeps of it is as at reset. With the shared lock. */
EVENT(vhart_ends, (struct vhart * vhart), (vhart))

/* It naps (world_naps() in arch/world.h) and is to go on at once, with its own registers. */
EVENT(vhart_nap_ends, (struct vhart * vhart), (vhart))

/*
 * The monitor is about to show it an exception; the CSRs are those of the trap before. Without the
 * shared lock, as the next one.
 */
EVENT(exception_is_shown, (struct vhart * vhart, uint64_t cause), (vhart, cause))

/* It has executed an instruction at `pc` that it may not. */
EVENT(instruction_is_refused, (struct vhart * vhart, uint32_t instruction, uint64_t pc),
      (vhart, instruction, pc))

/* It goes on after a suspend, or has been asked by REQUEST_EVENTS. With the shared lock. */
EVENT(vhart_looks_for_events, (struct vhart * vhart), (vhart))

/* The state of its dormant tenant is saved, or has been restored, for it to go on. So as well. */
EVENT(vhart_is_saved, (const struct vhart *vhart, struct dormant_state *state), (vhart, state))
EVENT(vhart_is_restored, (struct vhart * vhart, const struct dormant_state *state), (vhart, state))

/* Firmware events of SBI PMU (section 11.5), SBI_PMU_FW_*; by any hart. */

/* The event has happened to the vhart. */
EVENT(firmware_event, (struct vhart * vhart, unsigned event), (vhart, event))

/*
 * The vhart has asked `targets` of its tenant, bits by vhart id, for something: `sent` has happened
 * to it for each that is another one and has not stopped, and `received` to that one.
 */
EVENT(firmware_requests, (struct vhart * vhart, uint64_t targets, unsigned sent, unsigned received),
      (vhart, targets, sent, received))

/*
 * The user asks for something: CONSOLE_REQUEST_* bits of core/console_mux.h. A hook takes out those
 * that it answers; of what is left at the end those are refused that expect an answer. A step of
 * work.
 */
EVENT(console_requests, (const struct console_mux *console, uint32_t *requests),
      (console, requests))
EVENT(console_request_refused, (const struct console_mux *of, uint32_t requests), (of, requests))

/* The machine is powered off once all is said: *waits if a work still has something to say. */
EVENT(power_off_waits, (bool *waits), (waits))

/* Of harts and the machine, at boot. */

/* The boot hart, whose clock runs, knows of all harts; none of them takes traps yet. */
EVENT(harts_are_known, (const struct hart *boot_hart), (boot_hart))

/* A hart on which vharts will run finds out what it has. */
EVENT(hart_begins, (struct hart * hart), (hart))

/* The boot hart has set all tenants up; none of them runs yet. */
EVENT(machine_begins, (void), ())

/* NOLINTEND(bugprone-macro-parentheses) */

#define HOOK(event, function)                                                                      \
    static event##_hook *const event##_##function TABLE_ENTRY(event) = (function)

#endif

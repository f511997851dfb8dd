/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a tenant is alive. It says so from time to time, by a heartbeat: an SBI call
 * (calls.c) or the virtual watchdog (watchdog.c). If none comes for too long, the
 * tenant hangs, and what follows is the policy's.
 *
 * Nothing looks at the clock for this but a step of core/work.h, which is due at the earliest
 * deadline: a heartbeat moves its tenant's deadline on and is otherwise free. Interrupts off,
 * shared lock held, on any hart.
 */
#ifndef COTENANT_FEATURES_WATCH_WATCH_H
#define COTENANT_FEATURES_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

struct watch {
    uint32_t policy;   /* COTENANT_WATCH_* */
    uint32_t hangs;    /* how often it has hung since boot */
    uint64_t within;   /* ticks: the next heartbeat has to come within this time */
    uint64_t boot;     /* ticks: the first one, counted from the start; 0: whenever it likes */
    uint64_t since;    /* ticks: when the last heartbeat, or the start, was */
    uint64_t deadline; /* ticks, or TIME_NEVER: nothing is expected */
    uint32_t suspends; /* of the tenant, at the last heartbeat */
    bool beats;        /* there was a heartbeat in this life */
};

extern struct watch watches[COTENANT_MAX_TENANTS];

static inline struct watch *watch_of(const struct tenant *tenant)
{
    return &watches[tenant->index];
}

/* As the tenant's description says; it does not run yet. */
void watch_init(struct tenant *tenant);

/* The tenant starts, or does not run any more. */
void watch_begin(struct tenant *tenant, uint64_t now);
void watch_end(struct tenant *tenant);

/* A sign of life. */
void watch_heartbeat(struct tenant *tenant, uint64_t now);

/* The tenant says that it will be silent: nothing is expected until its next heartbeat. */
void watch_pause(struct tenant *tenant);

/*
 * The user's command: another policy and, unless it is 0, another time in microseconds. The next
 * heartbeat is expected within that time from now if there were any. Returns false, with nothing
 * done, if the tenant is to be watched and no time was ever given.
 */
bool watch_change(struct tenant *tenant, uint32_t policy, uint32_t within_us, uint64_t now);

/* The earliest deadline of all tenants, or TIME_NEVER. */
uint64_t watch_deadline(void);

/*
 * Does what has to be done about one tenant whose deadline is over, and puts the line about it on
 * the log, part by part, until it is complete or an interrupt waits.
 */
void watch_step(uint64_t now);

#endif

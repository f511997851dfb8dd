/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Performance counters of a vhart, SBI section 11: those of the hart, as far as it has them
 * (counters.h), and firmware counters, which count what the monitor does for the vhart.
 *
 * A counter is known by its index: that of a hart's counter is its number, and firmware counters
 * have all others. A counter is configured, for an event, and then started and stopped until its
 * event is taken away again. Sets of counters are bits by index.
 *
 * While the vhart has counters of the hart, it is attended (core/attended.h), and so it
 * is while it counts its calls of set_timer, which the trap entry then leaves to sbi/time.c.
 * No other vhart pays for either. Called by the vhart's own hart, interrupts off, unless it says
 * so.
 */
#ifndef COTENANT_FEATURES_PMU_PMU_H
#define COTENANT_FEATURES_PMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"

#define PMU_FIRMWARE_COUNTERS 16
/* Of the hart's programmable counters, of which more would make world switches longer. */
#define PMU_MOST_PROGRAMMABLE 8
/* With cycle and instret. */
#define PMU_MOST_COUNTERS (2 + PMU_MOST_PROGRAMMABLE + PMU_FIRMWARE_COUNTERS)
/* cycle and instret have numbers below. */
#define PMU_FIXED_NUMBERS 3
/* SBI_PMU_FW_* below are counted. */
#define PMU_FIRMWARE_EVENTS 14

struct pmu_counter {
    /*
     * Its value, unless it is started: then a hart's counter has it in the hart while the vhart has
     * the hart, and a firmware counter has it without what its event has in `totals`.
     */
    uint64_t value;
    uint64_t event; /* mhpmevent, or SBI_PMU_FW_* */
};

struct pmu {
    uint64_t configured;
    uint64_t started;   /* of the configured ones */
    uint64_t used;      /* of those: started at some time since they were configured */
    uint64_t set_timer; /* those of them that count SBI_PMU_FW_SET_TIMER */
    uint64_t changed;   /* by the call that is to be made again: not the tenant's earlier doing */
    bool attended;      /* because of it */
    bool in_hart;       /* what is in the hart while the vhart has it, is */
    bool counts_set_timer; /* a counter of SBI_PMU_FW_SET_TIMER is started */
    struct pmu_counter counters[PMU_MOST_COUNTERS];
    /* While in_hart: the hart's own cycle and instret are ahead of the vhart's by this. */
    uint64_t ahead[PMU_FIXED_NUMBERS];
    uint64_t own; /* the hart's counters that are its own then; else none */
    /* How often each firmware event has happened since boot; any hart adds to it, atomically. */
    uint64_t totals[PMU_FIRMWARE_EVENTS];
};

extern struct pmu pmus[COTENANT_MAX_VHARTS];

static inline struct pmu *pmu_of(const struct vhart *vhart)
{
    return &pmus[vhart_index(vhart)];
}

/* How many counters the vhart can have; their indices are below. */
unsigned pmu_counter_count(const struct vhart *vhart);

/* Those of them that are firmware counters. */
uint64_t pmu_firmware_counters(const struct vhart *vhart);

/*
 * The counters that can count the event (SBI section 11.1 to 11.5), with `data` as it comes with
 * it; 0: none. *setting is what pmu_configure() needs.
 */
uint64_t pmu_able_counters(const struct vhart *vhart, uint64_t event, uint64_t data,
                           uint64_t *setting);

/*
 * Gives the counter, which is not started, an event that it can count; `clear`: and value 0;
 * `start`: and starts it. False: the hart is wanted, and nothing has changed.
 */
bool pmu_configure(struct vhart *vhart, unsigned counter, uint64_t setting, bool clear, bool start);

/*
 * Starts the configured counters of `set`, from *value or, if that is NULL, from where they are.
 * False: the hart is wanted, and it is to be called again for the rest.
 */
bool pmu_start(struct vhart *vhart, uint64_t set, const uint64_t *value);

/* Stops the counters of `set`; `reset`: and takes their events away. False: as pmu_start(). */
bool pmu_stop(struct vhart *vhart, uint64_t set, bool reset);

/* What a firmware counter has counted. */
uint64_t pmu_firmware_value(const struct vhart *vhart, unsigned counter);

/* The vhart gets its hart, or loses it; nothing is done where it has or has not already. */
void pmu_enter(struct vhart *vhart);
void pmu_leave(struct vhart *vhart);

/* Nothing of it is kept. */
void pmu_end(struct vhart *vhart);

#endif

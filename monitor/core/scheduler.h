/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler of one hart: fixed priorities, preemptive; equal priorities take turns; a budget
 * limits how long a vhart may run in each period.
 *
 * Time is a number that never goes backwards (ticks of mtime here). The scheduler keeps two sorted
 * lists. The ready list holds the vharts that can run, highest priority first, and its head runs.
 * The waiting list holds those that wait for a moment, earliest first. Both are short (at most
 * COTENANT_MAX_VHARTS_PER_HART) and the usual operations touch only their heads, so that the cost
 * of a switch does not grow with the number of tenants.
 *
 * Context: called by the hart that owns the scheduler, interrupts off. It knows no register.
 */
#ifndef COTENANT_CORE_SCHEDULER_H
#define COTENANT_CORE_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A moment that never comes. */
#define TIME_NEVER UINT64_MAX

enum schedulable_state {
    SCHEDULABLE_OFF,       /* in no list */
    SCHEDULABLE_READY,     /* runs or could run */
    SCHEDULABLE_WAITING,   /* until `wake` or schedule_wake() */
    SCHEDULABLE_THROTTLED, /* has used up its budget; until `wake` and nothing else */
};

struct schedulable {
    struct schedulable *next;     /* in the list of its state */
    struct schedulable *previous; /* in the waiting list, but for its head */
    enum schedulable_state state;
    uint32_t priority; /* the higher number runs first */
    uint64_t wake;     /* ticks: end of the present or of the last waiting */
    uint64_t slice;    /* ticks before an equal priority gets its turn, > 0 */
    uint64_t budget;   /* ticks in each period, or 0 for no limit */
    uint64_t period;   /* ticks */

    uint64_t slice_used;
    uint64_t budget_used;
    uint64_t period_start;
    /* Counters for the user. */
    uint64_t run_time; /* ticks */
    uint64_t switches; /* times it was given the hart */
    uint64_t lateness; /* ticks: the longest from `wake` to the end of waiting, since its start */
};

struct scheduler {
    struct schedulable *ready;
    struct schedulable *waiting;
    struct schedulable *last;    /* of those that wait, if there are any */
    struct schedulable *running; /* the one that is charged since `charged`, or NULL */
    uint64_t charged;            /* moment up to which `running` has been charged */
};

/* Makes an idle scheduler at time `now`. */
void scheduler_init(struct scheduler *scheduler, uint64_t now);

/* Makes `entity`, which is in no list, ready to run; its lateness is counted anew. */
void schedule_start(struct scheduler *scheduler, struct schedulable *entity, uint64_t now);

/* Takes `entity` out of whatever list it is in. Its counters stay. */
void schedule_stop(struct scheduler *scheduler, struct schedulable *entity);

/* Lets `entity`, which is ready, wait until `wake` (TIME_NEVER: until it is woken). */
static inline void schedule_wait(struct scheduler *scheduler, struct schedulable *entity,
                                 uint64_t wake);

/* Puts `entity`, which is in no list, into the waiting list with that state. */
void insert_waiting(struct scheduler *scheduler, struct schedulable *entity,
                    enum schedulable_state state, uint64_t wake);

/* Makes `entity` ready if it is waiting; does nothing in any other state. */
void schedule_wake(struct scheduler *scheduler, struct schedulable *entity, uint64_t now);

/*
 * Charges the running one for the time since the last call, wakes the vharts that are due, applies
 * budgets and turns, and returns the vhart that runs from now on (NULL: none can). The caller lets
 * it run at once.
 */
static inline struct schedulable *schedule_next(struct scheduler *scheduler, uint64_t now);

/*
 * The moment at which schedule_next() has to be called again although nothing else happened, given
 * that it has just returned `running` (or NULL) at time `now`.
 */
static inline uint64_t schedule_deadline(const struct scheduler *scheduler, uint64_t now);

/*
 * At `now` the first one that waits is due, and goes before the one that schedule_next() has
 * chosen: it is to be called again.
 */
static inline bool schedule_is_outdated(const struct scheduler *scheduler, uint64_t now);

#include "core/scheduler_hot.h"

#endif

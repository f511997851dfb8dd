/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that waits for a lock gives its priority to the holder, and to whom that one waits for,
 * if it is the higher one (priority inheritance). Who takes a lock here while others do is on the
 * same hart: a thread that inherits cannot run before it who bequeaths waits.
 *
 * If the component from which a lock was taken is restarted, the lock is free: those who wait look
 * after that every LOOK_US.
 */
#include "components/lib/scheduling.h"

#include "generated.h"
#include "system.h"

#define LOCKS 16
#define NOBODY (~0ull)
#define LOOK_US 1000
/* Of a thread that a component has made: parts/scheduler. */
#define PRIORITY_CREATED 1

/*
 * Who holds a lock is one word, so that it changes at once: 0 if it is free, else the thread + 1,
 * the component from which that took it, and how often the component had been restarted then.
 */
#define HOLDER_THREAD 0xff
#define HOLDER_COMPONENT_SHIFT 8
#define HOLDER_COMPONENT 0xff
#define HOLDER_RESTARTS_SHIFT 16

struct lock {
    uint64_t holder;
    uint64_t waiting; /* threads, a mask */
};

static struct lock locks[LOCKS];
static uint64_t priorities[THREADS]; /* inherited ones; 0: its own */
static uint64_t ticks_per_us;

static uint64_t own_priority(uint64_t thread)
{
    return thread < SYSTEM_THREADS ? system_threads[thread].priority : PRIORITY_CREATED;
}

static uint64_t priority_of(uint64_t thread)
{
    return priorities[thread] > own_priority(thread) ? priorities[thread] : own_priority(thread);
}

static void tell(uint64_t thread)
{
    kernel_event(SCHEDULE_SET, thread, priority_of(thread),
                 thread < SYSTEM_THREADS ? system_threads[thread].deadline_us : 0);
}

/* After a restart of this component nobody holds anything, and nobody inherits. */
static void set_up(void)
{
    if (ticks_per_us == 0) {
        ticks_per_us = argument("timebase-hz") / 1000000;
        for (uint64_t thread = 1; thread < SYSTEM_THREADS; thread++) {
            tell(thread);
        }
    }
}

/* The lock that a thread waits for; NULL: none. */
static struct lock *wanted_by(uint64_t thread)
{
    for (unsigned i = 0; i < LOCKS; i++) {
        if ((locks[i].waiting >> thread & 1) != 0) {
            return &locks[i];
        }
    }
    return NULL;
}

static uint64_t holder_word(uint64_t thread, uint64_t component)
{
    return kernel_call(CALL_RESTARTS, component, 0, 0).value << HOLDER_RESTARTS_SHIFT |
           component << HOLDER_COMPONENT_SHIFT | (thread + 1);
}

/* The thread that holds it; NOBODY: none, or one whose component was restarted since. */
static uint64_t holder_of(const struct lock *lock)
{
    uint64_t word = lock->holder;
    uint64_t component = word >> HOLDER_COMPONENT_SHIFT & HOLDER_COMPONENT;
    uint64_t thread = (word & HOLDER_THREAD) - 1;

    return word != 0 && word == holder_word(thread, component) ? thread : NOBODY;
}

/* The chain of holders ends after THREADS of them at most, even where threads wait in a circle. */
static void bequeath(const struct lock *lock, uint64_t priority)
{
    for (unsigned step = 0; step < THREADS && lock != NULL && holder_of(lock) != NOBODY; step++) {
        uint64_t holder = holder_of(lock);

        if (priority_of(holder) < priority) {
            priorities[holder] = priority;
            tell(holder);
        }
        lock = wanted_by(holder);
    }
}

/* The one of the highest priority that waits; NOBODY: none. */
static uint64_t first_waiting(const struct lock *lock)
{
    uint64_t first = NOBODY;

    for (uint64_t thread = 0; thread < THREADS; thread++) {
        if ((lock->waiting >> thread & 1) != 0 &&
            (first == NOBODY || priority_of(thread) > priority_of(first))) {
            first = thread;
        }
    }
    return first;
}

/* The highest of those who wait for what the thread still holds. */
static void inherit_again(uint64_t thread)
{
    uint64_t before = priority_of(thread);

    priorities[thread] = 0;
    for (unsigned i = 0; i < LOCKS; i++) {
        uint64_t first = first_waiting(&locks[i]);

        if (holder_of(&locks[i]) == thread && first != NOBODY &&
            priority_of(first) > priorities[thread]) {
            priorities[thread] = priority_of(first);
        }
    }
    if (priority_of(thread) != before) {
        tell(thread);
    }
}

static bool try_take(struct lock *lock, uint64_t taker)
{
    uint64_t before = lock->holder;

    if (holder_of(lock) != NOBODY ||
        !__atomic_compare_exchange_n(&lock->holder, &before, taker, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
        return false;
    }
    if (before != 0) { /* from one who is not there any more */
        inherit_again((before & HOLDER_THREAD) - 1);
    }
    return true;
}

/* 1: the thread holds the lock now. 0: not in that time; it holds it already; there is none. */
uint64_t export_take(uint64_t number, uint64_t duration_us, uint64_t caller)
{
    uint64_t thread = thread_self();
    struct lock *lock = &locks[number % LOCKS];
    uint64_t taker = holder_word(thread, caller);
    uint64_t end;
    bool is_taken;
    bool is_wanted = true;

    set_up();
    /* If the caller is restarted from here on, `taker` holds nothing. */
    if (number >= LOCKS || holder_of(lock) == thread ||
        kernel_call(CALL_CALLER, 0, 0, 0).error != OK) {
        return 0;
    }
    end = time_now() + duration_us * ticks_per_us;
    is_taken = try_take(lock, taker);
    while (!is_taken && is_wanted && time_now() < end) {
        uint64_t look = time_now() + LOOK_US * ticks_per_us;

        __atomic_fetch_or(&lock->waiting, 1ull << thread, __ATOMIC_RELAXED);
        bequeath(lock, priority_of(thread));
        is_wanted = kernel_event(SCHEDULE_WAIT, look < end ? look : end, 0, 0).error == OK;
        __atomic_fetch_and(&lock->waiting, ~(1ull << thread), __ATOMIC_RELAXED);
        is_taken = try_take(lock, taker);
    }
    if (!is_taken && holder_of(lock) != NOBODY) {
        inherit_again(holder_of(lock));
    }
    return is_taken;
}

/* The first of those who wait gets it next. 0: the thread does not hold it. */
uint64_t export_give(uint64_t number)
{
    uint64_t thread = thread_self();
    struct lock *lock = &locks[number % LOCKS];
    uint64_t next;

    set_up();
    if (number >= LOCKS || holder_of(lock) != thread) {
        return 0;
    }
    next = first_waiting(lock);
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
    if (next != NOBODY) {
        kernel_event(SCHEDULE_WAKE, next, 0, 0);
    }
    inherit_again(thread);
    return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest as a whole: its threads and how it ends. */
#ifndef COHOST_GUEST_H
#define COHOST_GUEST_H

#include <stdbool.h>
#include <stdint.h>

/* How a guest ended; what comes first counts. */
enum guest_end {
    GUEST_RUNS,
    GUEST_POWEROFF,
    GUEST_REBOOT,
    GUEST_PANIC,
    GUEST_CRASH,
    GUEST_STOPPED, /* from outside */
    GUEST_LOST,    /* the monitor gives it no turn any more */
    GUEST_SAVED,
};

/* Where a vhart begins, or goes on. */
struct guest_start {
    uint32_t vhart;
    uint64_t entry, argument;
};

/* Begins with one vhart; each has a thread. `timebase`: of the machine's clock, Hz. */
void guest_begin(unsigned cpus, uint32_t timebase, const struct guest_start *start);

/*
 * A guest that suspends itself (SBI SUSP): it stays so, without a turn, until guest_wake(). Returns
 * an error of SBI.
 */
int64_t guest_suspend(unsigned vhart, uint64_t entry, uint64_t argument);

/* Readable when the guest has suspended itself. */
int guest_suspend_event(void);

/*
 * All three are of one thread. Whether the guest has suspended itself since this was called last:
 * true once, and only then it counts as suspended. Where one goes on that is; NULL: it is not. Lets
 * one go on that is, seen or not.
 */
bool guest_has_suspended(void);
const struct guest_start *guest_suspended(void);
void guest_wake(void);

/* Ends it: no thread makes a turn after its present one. From any thread. */
void guest_end(enum guest_end how);

enum guest_end guest_state(void);

/* Readable when the guest has ended. */
int guest_end_event(void);

/* Waits for the threads. */
void guest_join(void);

/*
 * Changes an interrupt line, and wakes the vharts that may wait for it. From any thread. In two
 * steps, for who holds a lock: a vhart that is woken may run at once, and want that lock.
 */
void guest_line(unsigned source, bool high);
void guest_set_line(unsigned source, bool high);
void guest_wake_vharts(void);

/* For sbi.c. Returns whether the vhart could be started, or an error of SBI HSM. */
int64_t guest_start_vhart(unsigned vhart, uint64_t entry, uint64_t argument);
bool guest_vhart_exists(uint64_t vhart);
bool guest_vhart_runs(unsigned vhart);
void guest_stop_vhart(unsigned vhart);
void guest_wake_vhart(unsigned vhart);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The turn loop. A thread sleeps when its vhart is idle; what may wake the vhart counts up `events`
 * first and looks at `sleeps` then, and the thread does it the other way round, so that no wake is
 * lost whichever comes first. One of them waits for what the host's kernel does for disks, while
 * there is something, and so needs no other thread that wakes it when that is done.
 */
#include "guest.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bus.h"
#include "hosted.h"
#include "io_uring.h"
#include "machine.h"
#include "memory.h"
#include "say.h"
#include "sbi.h"

#define NO_DEADLINE (~0ull)
#define NS_PER_S 1000000000ull
/* Turns in a row that do not take place, after which the guest is lost. */
#define MOST_EMPTY_TURNS 1000
/* A thread wakes up at most this part of a second before its guest's deadline, */
#define MOST_LEAD_PART 50000
/* and how much earlier that is depends on its last wake-up by this part. */
#define LEAD_SHARE 8
/* How long a guest that suspends itself waits for its other vharts to stop. */
#define STOP_PAUSE_NS 1000000
#define MOST_STOP_PAUSES 1000

enum sleep { AWAKE, SLEEPS, WAITS_FOR_DISKS };

struct vhart {
    unsigned number;
    pthread_t thread;
    atomic_uint events; /* a futex */
    atomic_int sleeps;  /* enum sleep */
    atomic_bool started;
    volatile bool kicked;
    unsigned empty_turns;
    uint64_t lateness; /* ticks from the end of a sleep until the thread runs: LEAD_SHARE means */
};

static struct {
    unsigned cpus;
    uint32_t timebase;
    struct vhart vharts[COTENANT_HOSTED_SLOT_PAGES];
    atomic_int state;
    int end_event, suspend_event;
    pthread_mutex_t starting;
    struct guest_start resume;
    bool suspended; /* and its event was taken; `resume` tells where it goes on */
} guest = {.end_event = -1, .suspend_event = -1, .starting = PTHREAD_MUTEX_INITIALIZER};

static void signal_event(int event)
{
    const uint64_t one = 1;

    while (write(event, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

void guest_wake_vhart(unsigned number)
{
    struct vhart *vhart = &guest.vharts[number];
    int sleeps;

    atomic_fetch_add(&vhart->events, 1);
    sleeps = atomic_load(&vhart->sleeps);
    if (sleeps == SLEEPS) {
        (void)syscall(SYS_futex, &vhart->events, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    } else if (sleeps == WAITS_FOR_DISKS) {
        io_uring_wake();
    }
}

void guest_set_line(unsigned source, bool high)
{
    hosted_line(source, high);
}

void guest_wake_vharts(void)
{
    for (unsigned i = 0; i < guest.cpus; i++) {
        guest_wake_vhart(i);
    }
}

void guest_line(unsigned source, bool high)
{
    guest_set_line(source, high);
    if (high) {
        guest_wake_vharts();
    }
}

enum guest_end guest_state(void)
{
    return (enum guest_end)atomic_load(&guest.state);
}

void guest_end(enum guest_end how)
{
    int runs = GUEST_RUNS;

    if (!atomic_compare_exchange_strong(&guest.state, &runs, how)) {
        return;
    }
    for (unsigned i = 0; i < guest.cpus; i++) {
        guest.vharts[i].kicked = true;
        guest_wake_vhart(i);
        if (!pthread_equal(guest.vharts[i].thread, pthread_self())) {
            machine_kick(guest.vharts[i].thread);
        }
    }
    signal_event(guest.end_event);
}

int guest_end_event(void)
{
    return guest.end_event;
}

/* With `limit` NULL: without one. False: it has passed. */
static bool wait_for_disks(struct vhart *vhart, unsigned seen, const struct timespec *limit)
{
    bool in_time = true;

    atomic_store(&vhart->sleeps, WAITS_FOR_DISKS);
    if (atomic_load(&vhart->events) == seen) {
        in_time = io_uring_wait(limit);
    }
    atomic_store(&vhart->sleeps, AWAKE);
    io_uring_end_wait();
    return in_time;
}

static bool wait_for_event(struct vhart *vhart, unsigned seen, const struct timespec *limit)
{
    bool in_time;

    atomic_store(&vhart->sleeps, SLEEPS);
    in_time = syscall(SYS_futex, &vhart->events, FUTEX_WAIT_PRIVATE, seen, limit, NULL, 0) == 0 ||
              errno != ETIMEDOUT;
    atomic_store(&vhart->sleeps, AWAKE);
    return in_time;
}

/* Sleeps for so many ticks, or until an event after number `seen`. False: it was the event. */
static bool sleep_for(struct vhart *vhart, unsigned seen, uint64_t ticks)
{
    struct timespec left, *limit = NULL;

    if (ticks != NO_DEADLINE) {
        left.tv_sec = (time_t)(ticks / guest.timebase);
        left.tv_nsec = (long)(ticks % guest.timebase * NS_PER_S / guest.timebase);
        limit = &left;
    }
    return !(io_uring_begin_wait() ? wait_for_disks(vhart, seen, limit)
                                   : wait_for_event(vhart, seen, limit));
}

/* One wake-up that took long counts no more than the most that is led by. */
static void learn_lateness(struct vhart *vhart, uint64_t late)
{
    uint64_t most = guest.timebase / MOST_LEAD_PART;

    vhart->lateness += (late < most ? late : most) - vhart->lateness / LEAD_SHARE;
}

/*
 * Sleeps until a moment of the machine's clock, or an event after number `seen`. The host takes its
 * time to wake a thread up, and the guest's timer would be late by that: so the thread has itself
 * woken up earlier, by what that took lately, and looks at the clock for the rest.
 */
static void sleep_until(struct vhart *vhart, unsigned seen, uint64_t deadline)
{
    uint64_t lead = vhart->lateness / LEAD_SHARE, now = machine_time();

    /* What was done for a disk ends a sleep, and is not always an event. */
    while (atomic_load(&vhart->events) == seen && deadline == NO_DEADLINE) {
        (void)sleep_for(vhart, seen, NO_DEADLINE);
    }
    while (atomic_load(&vhart->events) == seen && now < deadline && deadline - now > lead) {
        uint64_t end = deadline - lead;
        bool timed_out = sleep_for(vhart, seen, end - now);

        now = machine_time();
        if (timed_out) {
            learn_lateness(vhart, now > end ? now - end : 0);
            break;
        }
    }
    while (atomic_load(&vhart->events) == seen && now < deadline) {
        now = machine_time();
    }
}

static void report_crash(const struct vhart *vhart, const volatile struct hosted_run *run)
{
    say("the guest's CPU %u cannot fetch its trap handler: cause %llu, address 0x%llx, "
        "pc 0x%llx",
        vhart->number, (unsigned long long)run->value, (unsigned long long)run->address,
        (unsigned long long)run->deadline);
    guest_end(GUEST_CRASH);
}

/* No turn took place: a signal came first, which is usual, or there is no guest any more. */
static void count_empty_turn(struct vhart *vhart)
{
    if (++vhart->empty_turns == MOST_EMPTY_TURNS) {
        guest_end(GUEST_LOST);
    }
}

static void serve_load(volatile struct hosted_run *run)
{
    uint32_t size = run->size & ~COTENANT_HOSTED_UNSIGNED;
    bool is_signed = (run->size & COTENANT_HOSTED_UNSIGNED) == 0;
    unsigned unused = 64 - 8 * size; /* bits */
    uint64_t value;

    if (bus_load(run->address, size, &value)) {
        value <<= unused;
        run->value = is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
    } else {
        run->reason = COTENANT_HOSTED_ANSWER_FAULT;
    }
}

static void serve_sbi(const struct vhart *vhart, volatile struct hosted_run *run)
{
    uint64_t arguments[8];

    for (unsigned i = 0; i < 8; i++) {
        arguments[i] = run->arguments[i];
    }
    sbi_serve(vhart->number, arguments);
    run->arguments[0] = arguments[0];
    run->arguments[1] = arguments[1];
}

/* Does what the vhart's turn ended for. `seen`: its events before that turn. */
static void serve(struct vhart *vhart, volatile struct hosted_run *run, unsigned seen)
{
    uint32_t reason = run->reason;

    run->reason = COTENANT_HOSTED_EXIT_NONE;
    if (reason != COTENANT_HOSTED_EXIT_NONE) {
        vhart->empty_turns = 0;
    }
    switch (reason) {
    case COTENANT_HOSTED_EXIT_IDLE:
        sleep_until(vhart, seen, run->deadline);
        break;
    case COTENANT_HOSTED_EXIT_LOAD:
        serve_load(run);
        break;
    case COTENANT_HOSTED_EXIT_STORE:
        if (!bus_store(run->address, run->value, run->size)) {
            run->reason = COTENANT_HOSTED_ANSWER_FAULT;
        }
        break;
    case COTENANT_HOSTED_EXIT_SBI:
        serve_sbi(vhart, run);
        break;
    case COTENANT_HOSTED_EXIT_CRASH:
        report_crash(vhart, run);
        break;
    case COTENANT_HOSTED_EXIT_BUSY:
        sched_yield();
        break;
    case COTENANT_HOSTED_EXIT_STOPPED:
        guest_end(GUEST_LOST);
        break;
    default:
        count_empty_turn(vhart);
        break;
    }
}

static void *run_vhart(void *argument)
{
    struct vhart *vhart = argument;
    volatile struct hosted_run *run = hosted_run_page(vhart->number);

    /* The kernel would add 50 us to each sleep. */
    prctl(PR_SET_TIMERSLACK, 1);
    while (guest_state() == GUEST_RUNS) {
        unsigned seen = atomic_load(&vhart->events);

        if (!atomic_load(&vhart->started)) {
            sleep_until(vhart, seen, NO_DEADLINE);
            continue;
        }
        hosted_turn(vhart->number, &vhart->kicked);
        serve(vhart, run, seen);
    }
    return NULL;
}

bool guest_vhart_exists(uint64_t vhart)
{
    return vhart < guest.cpus;
}

bool guest_vhart_runs(unsigned vhart)
{
    return atomic_load(&guest.vharts[vhart].started);
}

int64_t guest_start_vhart(unsigned vhart, uint64_t entry, uint64_t argument)
{
    int64_t error = SBI_ALREADY_AVAILABLE;
    uint32_t result;

    pthread_mutex_lock(&guest.starting);
    if (!guest_vhart_runs(vhart)) {
        result = hosted_start(vhart, entry, argument);
        error = result == COTENANT_HOSTED_OK ? SBI_SUCCESS : SBI_INVALID_ADDRESS;
        if (result == COTENANT_HOSTED_OK) {
            atomic_store(&guest.vharts[vhart].started, true);
            guest_wake_vhart(vhart);
        }
    }
    pthread_mutex_unlock(&guest.starting);
    return error;
}

void guest_stop_vhart(unsigned vhart)
{
    atomic_store(&guest.vharts[vhart].started, false);
}

/* Another vhart may be about to stop. */
static bool runs_alone(unsigned vhart)
{
    const struct timespec pause = {0, STOP_PAUSE_NS};

    for (unsigned i = 0; i < guest.cpus; i++) {
        for (unsigned n = 0; i != vhart && guest_vhart_runs(i); n++) {
            if (n == MOST_STOP_PAUSES) {
                return false;
            }
            nanosleep(&pause, NULL);
        }
    }
    return true;
}

int64_t guest_suspend(unsigned vhart, uint64_t entry, uint64_t argument)
{
    if (memory_at(entry, sizeof(uint32_t)) == NULL) {
        return SBI_INVALID_ADDRESS;
    }
    if (!runs_alone(vhart)) {
        return SBI_DENIED;
    }
    guest.resume = (struct guest_start){vhart, entry, argument};
    guest_stop_vhart(vhart);
    signal_event(guest.suspend_event);
    return SBI_SUCCESS;
}

bool guest_has_suspended(void)
{
    uint64_t count;
    bool now = read(guest.suspend_event, &count, sizeof(count)) == sizeof(count);

    guest.suspended |= now;
    return now;
}

const struct guest_start *guest_suspended(void)
{
    return guest.suspended ? &guest.resume : NULL;
}

void guest_wake(void)
{
    const struct guest_start *start = &guest.resume;
    bool suspended = guest_has_suspended() || guest.suspended;

    guest.suspended = false;
    if (suspended &&
        guest_start_vhart(start->vhart, start->entry, start->argument) != SBI_SUCCESS) {
        guest_end(GUEST_LOST);
    }
}

int guest_suspend_event(void)
{
    return guest.suspend_event;
}

static void make_event(int *event)
{
    *event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (*event < 0) {
        fail_errno("make", "an eventfd");
    }
}

void guest_begin(unsigned cpus, uint32_t timebase, const struct guest_start *start)
{
    guest.cpus = cpus;
    guest.timebase = timebase;
    atomic_store(&guest.state, GUEST_RUNS);
    guest.suspended = false;
    make_event(&guest.end_event);
    make_event(&guest.suspend_event);
    for (unsigned i = 0; i < cpus; i++) {
        struct vhart *vhart = &guest.vharts[i];

        memset(vhart, 0, sizeof(*vhart));
        vhart->number = i;
    }
    if (guest_start_vhart(start->vhart, start->entry, start->argument) != SBI_SUCCESS) {
        fail_start("the monitor refuses to start the guest's first CPU");
    }
    /* The one that runs comes last: it may end the guest, which takes all threads. */
    for (unsigned i = 1; i <= cpus; i++) {
        struct vhart *vhart = &guest.vharts[(start->vhart + i) % cpus];

        if (pthread_create(&vhart->thread, NULL, run_vhart, vhart) != 0) {
            fail_start("there is no thread for the guest's CPU %u", vhart->number);
        }
    }
}

void guest_join(void)
{
    for (unsigned i = 0; i < guest.cpus; i++) {
        pthread_join(guest.vharts[i].thread, NULL);
    }
    close(guest.end_event);
    close(guest.suspend_event);
    guest.end_event = guest.suspend_event = -1;
    guest.suspended = false; /* it is not to be woken */
}

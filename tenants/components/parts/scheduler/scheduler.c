/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: the thread of the highest priority runs, among equals the one with the earliest
 * deadline, among those without one each in its turn. A thread that was awake for longer than its
 * budget is kept back until the thread that waits for overruns (SCHEDULE_OVERRUN) has dealt with
 * it.
 *
 * Only thread 0 touches what is here. After a restart every thread counts as ready, and those that
 * wait for something are told SCHEDULE_AGAIN.
 */
#include "components/lib/scheduling.h"

#include "generated.h"
#include "system.h"

#define NEVER UINT64_MAX
#define SLICE_US 1000
/* Of a thread that a component has made. */
#define PRIORITY_CREATED 1

enum state { FREE, READY, SLEEPING, WAITING, INTERRUPT, OVERRUN, HELD };

struct task {
    enum state state;
    uint64_t priority;
    uint64_t deadline;  /* relative, ticks; 0: none */
    uint64_t budget;    /* ticks; 0: any */
    uint64_t due;       /* when its work is to be done */
    uint64_t used;      /* since it woke up */
    uint64_t turn;      /* when it last had the hart, counted in dispatches */
    uint64_t wake;      /* SLEEPING, WAITING: until then; else NEVER */
    uint64_t interrupt; /* INTERRUPT: its number; WAITING: likewise, if not 0 */
    uint64_t answer;
    uint64_t given; /* the answer of who woke it while it did not wait */
    bool is_woken;
};

static struct task tasks[THREADS];
static uint64_t ticks_per_us;
static uint64_t slots; /* threads there have been have lower numbers */
static uint64_t turns;
static uint64_t unserved; /* interrupts for which no thread waited, a mask */

static void make_ready(struct task *task, uint64_t answer, uint64_t from)
{
    task->state = READY;
    task->wake = NEVER;
    task->answer = answer;
    task->used = 0;
    task->due = task->deadline != 0 ? from + task->deadline : NEVER;
}

static void set_task(struct task *task, uint64_t priority, uint64_t deadline_us)
{
    task->priority = priority;
    task->deadline = deadline_us * ticks_per_us;
}

static void add(uint64_t thread)
{
    struct task *task = &tasks[thread];
    bool is_known = thread < SYSTEM_THREADS;

    slots = thread >= slots ? thread + 1 : slots;
    *task = (struct task){0};
    set_task(task, is_known ? system_threads[thread].priority : PRIORITY_CREATED,
             is_known ? system_threads[thread].deadline_us : 0);
    task->budget = is_known ? system_threads[thread].budget_us * ticks_per_us : 0;
    make_ready(task, SCHEDULE_AGAIN, time_now());
}

static void start(void)
{
    uint64_t live = kernel_call(CALL_LIVE, 0, 0, 0).value;

    ticks_per_us = argument("timebase-hz") / 1000000;
    for (uint64_t thread = 1; thread < THREADS; thread++) {
        tasks[thread].wake = NEVER;
        if ((live >> thread & 1) != 0) {
            add(thread);
        }
    }
}

static bool is_before(const struct task *task, const struct task *other)
{
    if (task->priority != other->priority) {
        return task->priority > other->priority;
    }
    if (task->due != other->due) {
        return task->due < other->due;
    }
    return task->turn < other->turn;
}

/*
 * Wakes those whose time has come. Returns the thread to run, NO_THREAD if none is ready, and when
 * to look again, if that one does nothing.
 */
static uint64_t pick(uint64_t now, uint64_t *look)
{
    uint64_t best = NO_THREAD;
    uint64_t next = NEVER;
    bool has_equal = false; /* another one has the same priority */

    for (unsigned i = 1; i < slots; i++) {
        struct task *task = &tasks[i];

        if (task->wake <= now) {
            make_ready(task, task->state == SLEEPING ? 0 : SCHEDULE_AGAIN, task->wake);
        }
        next = task->wake < next ? task->wake : next;
        if (task->state == READY) {
            bool is_equal = best != NO_THREAD && task->priority == tasks[best].priority;

            if (best == NO_THREAD || is_before(task, &tasks[best])) {
                best = i;
                has_equal = is_equal;
            }
            has_equal |= is_equal;
        }
    }
    if (has_equal && now + SLICE_US * ticks_per_us < next) {
        next = now + SLICE_US * ticks_per_us;
    }
    if (best != NO_THREAD && tasks[best].budget != 0 &&
        now + tasks[best].budget - tasks[best].used < next) {
        next = now + tasks[best].budget - tasks[best].used;
    }
    *look = next;
    return best;
}

/* Its budget is used up: kept back, if a thread waits for that. */
static void hold(uint64_t thread)
{
    for (unsigned i = 1; i < slots; i++) {
        if (tasks[i].state == OVERRUN) {
            tasks[thread].state = HELD;
            make_ready(&tasks[i], thread, time_now());
            return;
        }
    }
}

static void account(uint64_t thread, uint64_t time)
{
    struct task *task = &tasks[thread];

    task->used += time;
    task->turn = ++turns;
    task->answer = SCHEDULE_AGAIN;
    if (task->budget != 0 && task->used >= task->budget) {
        task->used = task->budget;
        hold(thread);
    }
}

static void wake_interrupt(uint64_t interrupt)
{
    bool is_served = false;

    for (unsigned i = 1; i < slots; i++) {
        if ((tasks[i].state == INTERRUPT || tasks[i].state == WAITING) &&
            tasks[i].interrupt == interrupt) {
            make_ready(&tasks[i], 0, time_now());
            is_served = true;
        }
    }
    if (!is_served) {
        unserved |= 1ull << interrupt;
    }
}

/* It waits for an interrupt, which may have come before. */
static void wait_interrupt(struct task *task, uint64_t interrupt)
{
    task->interrupt = interrupt;
    if (interrupt < 64 && (unserved >> interrupt & 1) != 0) {
        unserved &= ~(1ull << interrupt);
        make_ready(task, 0, time_now());
    }
}

static void wait(struct task *task, uint64_t until, uint64_t interrupt)
{
    task->state = WAITING;
    task->wake = until != 0 ? until : NEVER;
    if (task->is_woken) {
        task->is_woken = false;
        make_ready(task, task->given, time_now());
    } else {
        wait_interrupt(task, interrupt);
    }
}

static void wake(struct task *task, uint64_t answer)
{
    if (task->state == WAITING) {
        make_ready(task, answer, time_now());
    } else {
        task->is_woken = true;
        task->given = answer;
    }
}

/* What thread `from` asks for. It waits for the answer, which it gets when it runs again. */
static void serve(uint64_t kind, uint64_t from, uint64_t a, uint64_t b, uint64_t c)
{
    struct task *task = &tasks[from];

    task->answer = 0;
    switch (kind) {
    case SCHEDULE_SLEEP:
        task->state = SLEEPING;
        task->wake = a;
        break;
    case SCHEDULE_WAIT:
        if (c < THREADS && tasks[c].state != FREE) {
            wake(&tasks[c], SCHEDULE_WOKEN);
        }
        wait(task, a, b);
        break;
    case SCHEDULE_WAKE:
        if (a < THREADS && tasks[a].state != FREE) {
            wake(&tasks[a], b);
            task->answer = 1;
        }
        break;
    case SCHEDULE_INTERRUPT:
        task->state = INTERRUPT;
        wait_interrupt(task, a);
        break;
    case SCHEDULE_OVERRUN:
        task->state = OVERRUN;
        break;
    case SCHEDULE_SET:
        if (a < THREADS && tasks[a].state != FREE) {
            set_task(&tasks[a], b, c);
        }
        break;
    default:
        task->answer = SCHEDULE_AGAIN;
        break;
    }
}

static void unwound(uint64_t mask)
{
    for (unsigned i = 1; i < slots; i++) {
        if ((mask >> i & 1) != 0 && tasks[i].state != FREE) {
            make_ready(&tasks[i], SCHEDULE_AGAIN, time_now());
        }
    }
}

static void handle(const struct answer *answer)
{
    uint64_t event = answer->word[1];
    uint64_t thread = answer->word[2];

    switch (event) {
    case EVENT_TIMER:
        break;
    case EVENT_INTERRUPT:
        wake_interrupt(answer->word[3]);
        break;
    case EVENT_UNWOUND:
        unwound(answer->word[3]);
        break;
    case EVENT_CREATED:
        add(thread);
        break;
    case EVENT_ENDED:
        tasks[thread].state = FREE;
        break;
    default:
        serve(event, thread, answer->word[3], answer->word[4], answer->word[5]);
        break;
    }
}

void thread_loop(uint64_t unused)
{
    (void)unused;
    start();
    for (;;) {
        uint64_t now = time_now();
        struct answer answer;
        uint64_t look;
        uint64_t next = pick(now, &look);

        answer = component_ecall(CALL_DISPATCH, next, next == NO_THREAD ? 0 : tasks[next].answer,
                                 look, 0, 0, 0);
        if (next != NO_THREAD) {
            account(next, time_now() - now);
        }
        if (answer.word[0] == OK) {
            handle(&answer);
        }
    }
}

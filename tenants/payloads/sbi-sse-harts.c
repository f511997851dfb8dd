/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Supervisor software events between two harts of a tenant (SBI 3.0, section 17). The first hart
 * injects them; the second one has them delivered in whatever it is doing, which is one thing after
 * the other.
 */
#include "rt/check.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/software_event.h"
#include "rt/trap.h"

#define LOCAL SBI_SSE_EVENT_LOCAL_SOFTWARE
#define GLOBAL SBI_SSE_EVENT_GLOBAL_SOFTWARE
#define FAR 1
#define NO_SUCH_HART 64
#define STACK_SIZE 4096
#define SETTLE_US 2000
#define MOST_WAIT_US 20000000
#define STORM_EVENTS 2000

const char payload_name[] = "sbi-sse-harts";

/* What the second hart does while events come. */
enum activity {
    NOTHING,
    SPINS,
    WAITS,    /* WFI, no interrupt enabled */
    SUSPENDS, /* hart_suspend, retentive */
    RESUMES,  /* hart_suspend, non-retentive */
    IN_USER_MODE,
    COUNTS,
};

static struct software_event_handler far_local;
static struct software_event_handler any_global;
static uint8_t far_stack[STACK_SIZE] __attribute__((aligned(16)));
static uint8_t local_stack[STACK_SIZE] __attribute__((aligned(16)));
static uint8_t global_stack[STACK_SIZE] __attribute__((aligned(16)));
static uint64_t words[1];

/* Written by one hart, read by the other: shared(), publish(). */
static uint64_t activity;
static uint64_t local_events;
static uint64_t global_events;
static uint64_t global_hart;
static uint64_t far_ends;
static uint64_t far_counter;

void far_entry(void);
void far_resume(void);
void far_user(void);
void far_start(void);
void far_resumed(void);

/* a1 is the stack, in U-mode too. */
__asm__(".section .text.far, \"ax\"\n"
        ".balign 4\n"
        "far_entry: mv sp, a1\n"
        "  call far_start\n"
        ".balign 4\n"
        "far_resume: mv sp, a1\n"
        "  call far_resumed\n"
        ".balign 4\n"
        "far_user: j far_user\n"
        ".text\n");

static uint64_t shared(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void publish(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void expect(const char *what, uint64_t function, uint64_t event, uint64_t a1, uint64_t a2,
                   int64_t error)
{
    struct sbi_result result = sbi_call(SBI_EXT_SSE, function, event, a1, a2);

    check(result.error == error, "%s of 0x%lx: error %ld, expected %ld", what, event, result.error,
          error);
}

static void prepare(uint64_t event, struct software_event_handler *handler)
{
    expect("register", SBI_SSE_REGISTER, event, (uintptr_t)software_event_entry, (uintptr_t)handler,
           SBI_SUCCESS);
    expect("enable", SBI_SSE_ENABLE, event, 0, 0, SBI_SUCCESS);
}

static void prefer(uint64_t hart)
{
    struct sbi_result result;

    words[0] = hart;
    result = sbi_call6(SBI_EXT_SSE, SBI_SSE_WRITE_ATTRS, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 1,
                       (uintptr_t)words, 0, 0);
    check(result.error == SBI_SUCCESS, "preferred hart %lu: error %ld", hart, result.error);
}

static void await(const char *what, const uint64_t *word, uint64_t value)
{
    uint64_t start = clock_now();

    while (shared(word) != value) {
        check(clock_now() - start < clock_ticks(MOST_WAIT_US), "%s: %lu, expected %lu", what,
              shared(word), value);
    }
}

/* The second hart. */

static void handle_local(uint64_t hart, struct software_event_handler *handler)
{
    uint64_t status = csr_read(sstatus);

    check(handler == &far_local && hart == FAR, "a local event of hart %lu", hart);
    check(((status & SSTATUS_SPP) == 0) == (shared(&activity) == IN_USER_MODE),
          "sstatus is 0x%lx in activity %lu", status, shared(&activity));
    if (shared(&activity) == IN_USER_MODE) {
        check(csr_read(sepc) == (uintptr_t)far_user, "sepc is 0x%lx", csr_read(sepc));
        csr_write(sepc, (uintptr_t)far_resume);
        csr_set(sstatus, SSTATUS_SPP);
    } else if (shared(&activity) == RESUMES) {
        check(csr_read(sepc) == (uintptr_t)far_resume, "sepc is 0x%lx", csr_read(sepc));
    }
    publish(&local_events, local_events + 1);
}

static void handle_global(uint64_t hart, struct software_event_handler *handler)
{
    check(handler == &any_global, "another handler's argument");
    publish(&global_hart, hart);
    publish(&global_events, global_events + 1);
}

/* Until one more event has been handled; begins `next`. */
static uint64_t begin(enum activity next)
{
    uint64_t events = shared(&local_events);

    publish(&activity, next);
    return events;
}

static void suspend_retentive(void)
{
    uint64_t events = begin(SUSPENDS);

    while (shared(&local_events) == events) {
        struct sbi_result result =
            sbi_call(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_RETENTIVE, 0, 0);

        check(result.error == SBI_SUCCESS, "hart_suspend: error %ld", result.error);
    }
}

void far_start(void)
{
    uint64_t events;

    expect("mask at start", SBI_SSE_HART_MASK, 0, 0, 0, SBI_ERR_ALREADY_STOPPED);
    prepare(LOCAL, &far_local);
    expect("unmask", SBI_SSE_HART_UNMASK, 0, 0, 0, SBI_SUCCESS);
    events = begin(SPINS);
    while (shared(&local_events) == events) {
    }
    events = begin(WAITS);
    while (shared(&local_events) == events) {
        wait_for_interrupt();
    }
    suspend_retentive();
    (void)begin(RESUMES);
    sbi_call(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_NON_RETENTIVE,
             (uintptr_t)far_resume, (uintptr_t)far_stack + STACK_SIZE);
    check_fail("a non-retentive suspend has returned");
}

static void enter_user_mode(void)
{
    (void)begin(IN_USER_MODE);
    csr_write(sepc, (uintptr_t)far_user);
    csr_clear(sstatus, SSTATUS_SPP);
    __asm__ volatile("mv a1, %0\n"
                     "sret"
                     :
                     : "r"(far_stack + STACK_SIZE)
                     : "a1", "memory");
}

void far_resumed(void)
{
    if (shared(&activity) == RESUMES) {
        enter_user_mode();
    }
    (void)begin(COUNTS);
    while (shared(&far_ends) == 0) {
        far_counter++;
    }
    sbi_call(SBI_EXT_HSM, SBI_HSM_HART_STOP, 0, 0, 0);
    check_fail("hart_stop has returned");
}

/* The first hart. */

static void start_far(void)
{
    struct sbi_result result = sbi_call(SBI_EXT_HSM, SBI_HSM_HART_START, FAR, (uintptr_t)far_entry,
                                        (uintptr_t)far_stack + STACK_SIZE);

    check(result.error == SBI_SUCCESS, "hart_start: error %ld", result.error);
}

static void stop_far(void)
{
    uint64_t start = clock_now();

    publish(&far_ends, 1);
    while (sbi_call(SBI_EXT_HSM, SBI_HSM_HART_GET_STATUS, FAR, 0, 0).value !=
           SBI_HSM_STATE_STOPPED) {
        check(clock_now() - start < clock_ticks(MOST_WAIT_US), "the second hart does not stop");
    }
}

static void inject_local(void)
{
    expect("inject", SBI_SSE_INJECT, LOCAL, FAR, 0, SBI_SUCCESS);
}

static void test_local_events(void)
{
    for (enum activity each = SPINS; each <= IN_USER_MODE; each++) {
        await("activity", &activity, each);
        clock_spin(SETTLE_US); /* it is at it, not about to begin */
        inject_local();
        await("events", &local_events, each);
    }
    await("activity", &activity, COUNTS);
}

/* One after the other as fast as it handles them, wherever they meet it. */
static void test_storm(void)
{
    uint64_t before = shared(&local_events);

    for (uint64_t i = 1; i <= STORM_EVENTS; i++) {
        inject_local();
        await("events", &local_events, before + i);
    }
}

static void inject_global(uint64_t count, uint64_t hart)
{
    expect("inject", SBI_SSE_INJECT, GLOBAL, NO_SUCH_HART, 0, SBI_SUCCESS);
    await("global events", &global_events, count);
    check(shared(&global_hart) == hart, "hart %lu took it, not %lu", shared(&global_hart), hart);
}

static void test_global_event(void)
{
    prefer(FAR);
    prepare(GLOBAL, &any_global);
    inject_global(1, FAR);
    expect("unmask", SBI_SSE_HART_UNMASK, 0, 0, 0, SBI_SUCCESS);
    inject_global(2, FAR);
    expect("disable", SBI_SSE_DISABLE, GLOBAL, 0, 0, SBI_SUCCESS);
    prefer(0);
    expect("enable", SBI_SSE_ENABLE, GLOBAL, 0, 0, SBI_SUCCESS);
    inject_global(3, 0);
    expect("mask", SBI_SSE_HART_MASK, 0, 0, 0, SBI_SUCCESS);
    expect("inject", SBI_SSE_INJECT, GLOBAL, 0, 0, SBI_SUCCESS);
    clock_spin(SETTLE_US);
    check(shared(&global_events) == 3, "another hart took what waits for its preferred hart");
    expect("unmask", SBI_SSE_HART_UNMASK, 0, 0, 0, SBI_SUCCESS);
    await("global events", &global_events, 4);
    check(shared(&global_hart) == 0, "hart %lu took it, not 0", shared(&global_hart));
    expect("disable", SBI_SSE_DISABLE, GLOBAL, 0, 0, SBI_SUCCESS);
    prefer(FAR);
    expect("enable", SBI_SSE_ENABLE, GLOBAL, 0, 0, SBI_SUCCESS);
}

/* What a hart had is gone when it stops, the global event too, which it was to take. */
static void test_stopped_hart(void)
{
    uint64_t events;

    stop_far();
    expect("inject", SBI_SSE_INJECT, LOCAL, FAR, 0, SBI_ERR_FAILED);
    expect("inject", SBI_SSE_INJECT, GLOBAL, 0, 0, SBI_ERR_FAILED);
    events = shared(&local_events);
    publish(&activity, NOTHING);
    publish(&far_ends, 0);
    start_far(); /* it finds its event unused, and itself masked */
    await("activity", &activity, SPINS);
    clock_spin(SETTLE_US);
    prepare(GLOBAL, &any_global);
    inject_global(5, FAR);
    check(shared(&local_events) == events, "an event of its life before");
}

void main(void)
{
    interrupts_disable();
    far_local = (struct software_event_handler){0, local_stack + STACK_SIZE, handle_local};
    any_global = (struct software_event_handler){0, global_stack + STACK_SIZE, handle_global};
    expect("inject", SBI_SSE_INJECT, LOCAL, NO_SUCH_HART, 0, SBI_ERR_INVALID_PARAM);
    start_far();
    test_local_events();
    test_storm();
    test_global_event();
    test_stopped_hart();
    check_pass();
}

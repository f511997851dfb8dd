/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host whose guest has turns on one hart and then on another one, while the first, which nobody
 * but the host is on, never enters the monitor by itself: an interrupt that was raised in between,
 * a turn that was interrupted there and goes on here, and the end of the guest.
 */
#include <string.h>

#include "rt/check.h"
#include "rt/guest.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/trap.h"

#define PAGE_SIZE 4096
#define GRAIN COTENANT_HOSTED_GRAIN
#define SOURCE 1
#define TURN_US 1000

const char payload_name[] = "guest-harts";

/* With a1 = its PLIC: lets source 1 interrupt, and after each WFI stores sip where nothing is. */
extern const char waits[], waits_end[], computes[], computes_end[];

__asm__(".pushsection .rodata\n"
        "waits:\n"
        "    li   t0, 1\n"
        "    sw   t0, 4(a1)\n"
        "    li   t0, 1 << 1\n"
        "    li   t1, 0x2080\n"
        "    add  t1, t1, a1\n"
        "    sw   t0, 0(t1)\n"
        "    li   t0, 1 << 9\n"
        "    csrs sie, t0\n"
        "1:  wfi\n"
        "    csrr t0, sip\n"
        "    sd   t0, 0(zero)\n"
        "    j    1b\n"
        "waits_end:\n"
        "computes:\n"
        "    j    computes\n"
        "computes_end:\n"
        ".popsection\n");

static uint8_t page[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static volatile struct hosted_run *const run = (volatile struct hosted_run *)page;
static uint32_t token;
static volatile bool stays; /* the other hart is to, and does */
static volatile bool is_there;

static void ask(uint32_t operation, uint64_t address, uint64_t size)
{
    struct hosted_request request = {
        .operation = operation,
        .vhart = operation == COTENANT_HOSTED_CREATE,
        .token = token,
        .address = address,
        .size = size,
        .argument = platform.plic_base,
        .run = (uintptr_t)page,
    };

    check(guest_request(&request) == COTENANT_HOSTED_OK, "request %u: result %u", operation,
          request.result);
    token = request.token;
}

static void make(const char *begin, const char *end)
{
    uint64_t first = (platform.memory_base + 2 * GRAIN - 1) & ~(uint64_t)(GRAIN - 1);

    ask(COTENANT_HOSTED_CREATE, 0, 0);
    memcpy((void *)first, begin, (size_t)(end - begin));
    ask(COTENANT_HOSTED_LEND, first, GRAIN);
    ask(COTENANT_HOSTED_START, first, 0);
}

static uint32_t take_turn(void)
{
    run->reason = COTENANT_HOSTED_EXIT_NONE;
    guest_turn(0, 0, token);
    return run->reason;
}

static void stay(void)
{
    is_there = true;
    while (stays) {
    }
}

static void turn_until_idle(uint64_t hart)
{
    (void)hart;
    while (take_turn() != COTENANT_HOSTED_EXIT_IDLE) {
    }
    stay();
}

static void on_timer(void)
{
    sbi_set_timer(UINT64_MAX);
    stay();
}

static void turn_until_interrupted(uint64_t hart)
{
    (void)hart;
    csr_write(sie, INTERRUPT_TIMER);
    interrupts_enable();
    sbi_set_timer(clock_now() + clock_ticks(TURN_US));
    while (stays) {
        (void)take_turn();
    }
    interrupts_disable();
}

static void begin_elsewhere(void (*function)(uint64_t hart))
{
    stays = true;
    is_there = false;
    check(harts_start(1, function, 1).error == SBI_SUCCESS, "hart 1 does not start");
    harts_await(is_there, "hart 1 has no turn");
}

static void end_elsewhere(void)
{
    stays = false;
    harts_await(harts_state(1) == SBI_HSM_STATE_STOPPED, "hart 1 does not stop");
}

static void destroy(void)
{
    struct hosted_request request = {.operation = COTENANT_HOSTED_DESTROY, .token = token};

    harts_await(guest_request(&request) == COTENANT_HOSTED_STATE, "the guest does not end");
}

static bool has_interrupt(void)
{
    return take_turn() == COTENANT_HOSTED_EXIT_STORE && run->value == INTERRUPT_EXTERNAL;
}

static bool is_interrupted(void)
{
    sbi_set_timer(clock_now() + clock_ticks(TURN_US));
    return take_turn() == COTENANT_HOSTED_EXIT_INTERRUPTED;
}

void main(void)
{
    check(guest_find(), "there are no guests");
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);

    make(waits, waits_end);
    begin_elsewhere(turn_until_idle);
    guest_set_line(SOURCE << COTENANT_HOSTED_LINE_SOURCE_SHIFT | COTENANT_HOSTED_LINE_HIGH);
    harts_await(has_interrupt(), "an interrupt is lost between two harts");
    end_elsewhere();
    destroy();

    make(computes, computes_end);
    begin_elsewhere(turn_until_interrupted);
    csr_write(sie, INTERRUPT_TIMER);
    harts_await(is_interrupted(), "a turn is never over on its hart");
    csr_write(sie, 0);
    destroy(); /* before hart 1 comes back to its store */
    end_elsewhere();

    make(waits, waits_end);
    begin_elsewhere(turn_until_idle);
    destroy();
    end_elsewhere();
    check_pass();
}

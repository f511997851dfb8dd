/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/hostile.h"

#include "components/lib/random.h"
#include "generated.h"

#define RANDOM_CALLS 2000
#define MEMORY 0x80200000 /* where the machine's begins, or not far from it */
#define SATP_MODE 8
#define HELD 2 /* capabilities: itself, twice */

static uint64_t data[4];

/* edges.S: t0-t6 and tp after that invocation; sp after one with that sp. */
void hostile_registers(int64_t number, uint64_t found[8]);
uint64_t hostile_with_stack(uint64_t stack);
/* Returns for the whole invocation, with a forged error, and then once more. */
void hostile_reply_twice(void);

/* Any but its own, next to it, far away, and at random. */
static uint64_t try_capabilities(void)
{
    uint64_t seed = 0x1357924680;
    uint64_t wrong = 0;

    for (int64_t number = HELD; number < 3 * CAPABILITIES; number++) {
        wrong += component_invoke(number, 1, 2, 3, 4, 5, 6).error != ERROR_NOT_PERMITTED;
    }
    for (unsigned i = 0; i < RANDOM_CALLS; i++) {
        int64_t number = (int64_t)(random_next(&seed) >> (random_next(&seed) % 64));

        if (number >= HELD || number < -CALLS) {
            wrong += component_invoke(number, random_next(&seed), random_next(&seed), 3, 4, 5, 6)
                         .error != ERROR_NOT_PERMITTED;
        }
    }
    return wrong;
}

/* Calls of the kernel for which it has no right, with arguments that would be good ones. */
static uint64_t try_calls(void)
{
    static const int64_t forbidden[] = {CALL_EVENT,    CALL_DISPATCH, CALL_RESTART,  CALL_WHERE,
                                        CALL_RESTARTS, CALL_LIVE,     CALL_PRINT,    CALL_MAP,
                                        CALL_UNMASK,   CALL_RAISE,    CALL_ARGUMENT, CALL_SHUTDOWN,
                                        CALL_DISTANCE, CALL_COPY,     -CALLS - 1,    INT64_MIN};
    uint64_t wrong = 0;

    for (unsigned i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
        wrong += kernel_call(forbidden[i], 1, 1, 1).error != ERROR_NOT_PERMITTED;
    }
    return wrong + (kernel_call(CALL_EXIT, 0, 0, 0).error != ERROR_INVALID);
}

/* They end at once. */
static void end_at_once(void)
{
    thread_exit();
}

/* As a thread it is at home, where no call is to return from. */
static void return_without_a_call(void)
{
    struct result result = kernel_call(CALL_RETURN, 0, 0, 0);

    data[0] = (uint64_t)result.error;
    thread_exit();
}

/* More threads than there are slots, with a priority that lets them wait; then they end. */
static uint64_t try_threads(void)
{
    uint64_t made = 0;
    struct result result = {0};

    data[0] = 0;
    kernel_call(CALL_THREAD, (uint64_t)(uintptr_t)return_without_a_call, 0, 0);
    for (unsigned i = 0; i < 2 * THREADS && result.error == OK; i++) {
        result = kernel_call(CALL_THREAD, (uint64_t)(uintptr_t)end_at_once, 0, 0);
        made += result.error == OK;
    }
    return result.error != ERROR_NO_ROOM || made >= THREADS;
}

/* Where the kernel was in caller-saved registers: after a refusal, and after an invocation. */
static uint64_t try_registers(void)
{
    uint64_t wrong = 0;

    for (int64_t number = 0; number <= HELD; number += HELD) {
        uint64_t found[8];

        hostile_registers(number, found);
        for (unsigned i = 0; i < 8; i++) {
            wrong += found[i] >= MEMORY && found[i] < COMPONENT_BASE;
            wrong += found[i] >> 60 == SATP_MODE;
        }
    }
    return wrong;
}

/* sp may be anything: the kernel keeps it, and does not use it. */
static uint64_t try_stacks(void)
{
    static const uint64_t stacks[] = {0, 1, MEMORY, UINT64_MAX, COMPONENT_BASE, 1ull << 38};
    uint64_t wrong = 0;

    for (unsigned i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
        wrong += hostile_with_stack(stacks[i]) != stacks[i];
    }
    return wrong;
}

static uint64_t try_lending(uint64_t address)
{
    uint64_t page = (uintptr_t)data & ~(uint64_t)4095;
    uint64_t wrong = 0;

    wrong += kernel_call(CALL_LEND, HELD, page, 0).error != ERROR_NOT_PERMITTED;
    wrong += kernel_call(CALL_LEND, UINT64_MAX, page, 0).error != ERROR_NOT_PERMITTED;
    wrong += kernel_call(CALL_LEND, 0, page, 0).error != ERROR_INVALID; /* itself */
    wrong += kernel_call(CALL_LEND, 0, address, 0).error != ERROR_INVALID;
    wrong += kernel_call(CALL_LEND, 0, MEMORY, 0).error != ERROR_INVALID;
    return wrong;
}

static uint64_t dive_to_fault(void)
{
    return hostile_sink(0).value;
}

static void jump(uint64_t address)
{
    ((void (*)(void))(uintptr_t)address)();
}

static volatile uint64_t *at(uint64_t address)
{
    volatile uint64_t *volatile pointer = (volatile uint64_t *)(uintptr_t)address;

    return pointer;
}

/* What must not come to its end. */
static uint64_t fatal(uint64_t number, uint64_t address)
{
    static uint32_t code[] = {0x00008067}; /* ret */
    volatile uint64_t own = COMPONENT_BASE + COMPONENT_ID * COMPONENT_SIZE;

    switch (number) {
    case HOSTILE_READ_OTHER:
        return *at(address);
    case HOSTILE_WRITE_OTHER:
        *at(address) = 1;
        break;
    case HOSTILE_READ_KERNEL:
        return *at(MEMORY);
    case HOSTILE_WRITE_KERNEL:
        *at(MEMORY) = 1;
        break;
    case HOSTILE_WRITE_TEXT:
        *at(own) = 1;
        break;
    case HOSTILE_RUN_DATA:
        jump((uintptr_t)code);
        break;
    case HOSTILE_RUN_OTHER:
        jump(address & ~(uint64_t)(COMPONENT_SIZE - 1));
        break;
    case HOSTILE_RUN_KERNEL:
        jump(MEMORY);
        break;
    case HOSTILE_SRET:
        __asm__ volatile("sret");
        break;
    case HOSTILE_SATP:
        __asm__ volatile("csrw satp, zero");
        break;
    case HOSTILE_FLOAT:
        __asm__ volatile(".word 0x02000053"); /* fadd.s */
        break;
    case HOSTILE_NULL_STACK:
        __asm__ volatile("li sp, 0\n sd zero, -8(sp)");
        break;
    case HOSTILE_BELOW_STACK:
        *at((uintptr_t)&own - STACK_SIZE) = 1;
        break;
    case HOSTILE_DEEP_FAULT:
        return dive_to_fault();
    case HOSTILE_BREAKPOINT:
        __asm__ volatile("ebreak");
        break;
    case HOSTILE_BEYOND_HEAP:
        for (uint64_t offset = HEAP_OFFSET; offset < STACKS_OFFSET; offset += 8) {
            *at(own + offset) = offset;
        }
        break;
    default:
        for (;;) {
        }
    }
    return 0;
}

uint64_t export_attempt(uint64_t number, uint64_t address)
{
    switch (number) {
    case HOSTILE_CAPABILITIES:
        return try_capabilities();
    case HOSTILE_CALLS:
        return try_calls();
    case HOSTILE_RECURSION: /* the judge's call is the first of DEPTH */
        return hostile_again(0).value != DEPTH - 1;
    case HOSTILE_STACKS:
        return try_stacks();
    case HOSTILE_LENDING:
        return try_lending(address & ~(uint64_t)4095);
    case HOSTILE_REGISTERS:
        return try_registers();
    case HOSTILE_THREADS:
        return try_threads();
    case HOSTILE_THREADS_AFTER: /* the first of them has run meanwhile */
        return data[0] != (uint64_t)ERROR_EMPTY;
    case HOSTILE_REPLY_TWICE:
        hostile_reply_twice();
        return 1;
    default:
        return fatal(number, address);
    }
}

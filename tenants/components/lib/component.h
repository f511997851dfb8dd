/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every component has: the ecalls of components/interface.h as C. Components include their
 * generated.h, which includes this.
 */
#ifndef COTENANT_COMPONENTS_COMPONENT_LIB_H
#define COTENANT_COMPONENTS_COMPONENT_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/interface.h"
#include "rt/ecall.h"

/* Of an invocation or a call of the kernel. `value` counts if `error` is OK. */
struct result {
    int64_t error;
    uint64_t value;
};

/* All that comes back of a call, a0-a5. */
struct answer {
    uint64_t word[6];
};

/* What the other side of an ecall may have left anything in, but for a0-a5 and a7: all but sp. */
#define COMPONENT_CLOBBERED                                                                        \
    "memory", "ra", "a6", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "s0", "s1", "s2", "s3", "s4",  \
        "s5", "s6", "s7", "s8", "s9", "s10", "s11"

/*
 * An ecall. The other side may leave anything in all registers but sp: the compiler keeps what it
 * still needs on the stack.
 */
static inline struct answer component_ecall(int64_t number, uint64_t arg0, uint64_t arg1,
                                            uint64_t arg2, uint64_t arg3, uint64_t arg4,
                                            uint64_t arg5)
{
    ECALL_ARGUMENTS(arg0, arg1, arg2, arg3, arg4, arg5);
    register uint64_t a7 __asm__("a7") = (uint64_t)number;

    __asm__ volatile("ecall"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5), "+r"(a7)
                     :
                     : COMPONENT_CLOBBERED);
    return (struct answer){{a0, a1, a2, a3, a4, a5}};
}

static inline struct result component_invoke(int64_t number, uint64_t arg0, uint64_t arg1,
                                             uint64_t arg2, uint64_t arg3, uint64_t arg4,
                                             uint64_t arg5)
{
    struct answer answer = component_ecall(number, arg0, arg1, arg2, arg3, arg4, arg5);

    return (struct result){.error = (int64_t)answer.word[0], .value = answer.word[1]};
}

/* A call of the kernel with at most three arguments. */
static inline struct result kernel_call(int64_t number, uint64_t arg0, uint64_t arg1, uint64_t arg2)
{
    return component_invoke(number, arg0, arg1, arg2, 0, 0, 0);
}

/* Asks the scheduler (RIGHT_SCHEDULE): what it understands is in lib/scheduling.h. */
static inline struct result kernel_event(uint64_t event, uint64_t a, uint64_t b, uint64_t c)
{
    return component_invoke(CALL_EVENT, event, a, b, c, 0, 0);
}

/* The thread's id, as CALL_SELF says: each has its stack at a place of its own. */
static inline uint64_t thread_self(void)
{
    uint64_t sp;

    __asm__("mv %0, sp" : "=r"(sp));
    return ((sp - 1) % COMPONENT_SIZE - STACKS_OFFSET) / STACK_SPACING;
}

/* A function as a thread begins in it: CALL_THREAD. It must not return: thread_exit(). */
static inline __attribute__((noreturn)) void thread_exit(void)
{
    for (;;) {
        kernel_call(CALL_EXIT, 0, 0, 0);
    }
}

/* The number of the tenant's argument `name`, at most 16 bytes long (RIGHT_INSPECT); of a text with
 * several numbers, such as 10.0.0.2/24, the one behind `skip` others. 0: there is none. */
uint64_t argument(const char *name);
uint64_t argument_part(const char *name, uint64_t skip);

/*
 * Copies between memory that is lent to this component, at `lent`, and data of its own, at most
 * COPY_BYTES. Whatever the lender does meanwhile, this is safe. False: it is not lent any more.
 */
static inline bool copy_from_lent(void *own, uint64_t lent, uint64_t size)
{
    return component_invoke(CALL_COPY, lent, (uintptr_t)own, size, 0, 0, 0).error == OK;
}

static inline bool copy_to_lent(uint64_t lent, const void *own, uint64_t size)
{
    return component_invoke(CALL_COPY, lent, (uintptr_t)own, size, 1, 0, 0).error == OK;
}

/*
 * For variables that a restart leaves as they are: large ones, of which everything is written
 * before it is read. What else there is is cleared, which takes its time.
 */
#define BUFFER __attribute__((section(".buffers")))

/* Ticks of the time CSR since the machine's start, and instructions or cycles of the hart. */
static inline uint64_t time_now(void)
{
    uint64_t now;

    __asm__ volatile("rdtime %0" : "=r"(now));
    return now;
}

static inline uint64_t cycle_now(void)
{
    uint64_t now;

    __asm__ volatile("rdcycle %0" : "=r"(now) : : "memory");
    return now;
}

#endif

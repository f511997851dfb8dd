/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The harts of a tenant that has several. The one on which main() is called, platform.hart, is
 * there from the start; the others run a function each time they are started by harts_start().
 *
 * Each has a stack and a trap stack of its own. While a hart runs C code, tp points to its struct
 * hart, which lies at the top of its trap stack; sscratch holds the same outside of traps. Included
 * by assembly too.
 */
#ifndef COTENANT_RT_HARTS_H
#define COTENANT_RT_HARTS_H

/* Of struct hart: offsets, and its size. */
#define HART_STACK_TOP 0
#define HART_FOUND 40
#define HART_SIZE 64

#define HART_TRAP_STACK_SIZE 8192
#define HART_STACK_SIZE 16384

#ifndef __ASSEMBLER__

#include <stdint.h>

#include "rt/check.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define HARTS_MAX 8
#define HARTS_PATIENCE_US 60000000

struct attempt;

/* A multiple of 16 bytes, as stacks are. */
struct __attribute__((aligned(16))) hart {
    char *stack_top;
    uint64_t id;
    struct attempt *attempt; /* a trap_try() under way, innermost first; or NULL */
    /* What harts_start() was told. */
    void (*function)(uint64_t argument);
    uint64_t argument;
    /* What a hart found that harts_start() started. */
    struct {
        uint64_t a0;
        uint64_t satp;
        uint64_t sstatus;
    } found;
};

_Static_assert(sizeof(struct hart) == HART_SIZE, "HART_SIZE is what assembly reserves");

/* The hart that executes this; not before rt_main(). */
static inline struct hart *hart_self(void)
{
    struct hart *self;

    __asm__("mv %0, tp" : "=r"(self));
    return self;
}

/*
 * Waits until `condition` holds, which another hart brings about; fails if it does not within a
 * time that is beyond any load of the machine. `...` is what check() says then.
 */
#define harts_await(condition, ...)                                                                \
    do {                                                                                           \
        uint64_t await_end = clock_now() + clock_ticks(HARTS_PATIENCE_US);                         \
        while (!(condition)) {                                                                     \
            check(clock_now() < await_end, __VA_ARGS__);                                           \
        }                                                                                          \
    } while (false)

/* How many harts the device tree describes, with ids from 0, at most HARTS_MAX. */
unsigned harts_count(void);

/*
 * Starts hart `id`, another one than the first, by SBI hart_start: function(argument) on its own
 * stack, interrupts off, satp 0. When it returns the hart stops. Returns what the call returned.
 * The hart must be stopped; one caller at a time for each hart.
 */
struct sbi_result harts_start(uint64_t id, void (*function)(uint64_t argument), uint64_t argument);

/*
 * The same once more with what harts_start() was told for that hart, which must have returned. Any
 * number of harts may call this at the same time.
 */
struct sbi_result harts_start_again(uint64_t id);

/* The state of a hart, SBI_HSM_STATE_*, or a negative error (section 9.3). */
int64_t harts_state(uint64_t id);

/*
 * Runs function(id) on all harts at the same time, here as well, and waits for them all to end. The
 * others must be stopped, and are afterwards. To be called by the first hart.
 */
void harts_run(void (*function)(uint64_t id));

/* Waits until `count` harts have called this with the same barrier, which starts as zeros. */
struct harts_barrier {
    unsigned arrived;
    unsigned round;
};
void harts_meet(struct harts_barrier *barrier, unsigned count);

/* Stops the hart that executes this (section 9.2). */
__attribute__((noreturn)) void harts_stop(void);

#endif

#endif

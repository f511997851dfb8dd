/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A physical PLIC that samples the levels of its lines, and knows who may change what in it. A
 * write or claim that the tenant on whose behalf the monitor acts has no right to is a failure.
 */
#ifndef COTENANT_TESTS_ROUTING_PLIC_H
#define COTENANT_TESTS_ROUTING_PLIC_H

#include <stdbool.h>
#include <stdint.h>

#define PLIC_SOURCES 64
#define HARTS 3
#define CONTEXTS (2 * HARTS)
#define M_CONTEXT(hart) (2 * (hart))
#define S_CONTEXT(hart) (2 * (hart) + 1)
#define SOURCE_BIT(source) (UINT64_C(1) << (source))

/* On whose behalf: a tenant, or one of these. */
#define ACTOR_BOOT (-1)      /* may do everything */
#define ACTOR_INTERRUPT (-2) /* the machine external interrupt: machine contexts only */
#define ACTOR_DEVICE (-3)    /* a virtual device: nothing physical */

struct physical_plic {
    bool any_context; /* completes a source in whatever context, as QEMU's does */
    bool latches;     /* a request stays pending when its line falls */
    uint64_t line;    /* sets of sources */
    uint64_t pending;
    uint64_t claimed;
    uint64_t enable[CONTEXTS];
    uint32_t priority[PLIC_SOURCES];
};

extern struct physical_plic physical;

/* Who acts, and which sources and S-mode contexts are the actor's, bits each. */
struct plic_actor {
    int who;
    uint64_t sources;
    uint32_t contexts;
    /* A reset that comes to its end: it claims in a machine context what is pending of these. */
    uint64_t drops;
};

extern struct plic_actor actor;

/* Ends the program with where it is if a condition is broken. */
#define CHECK(condition) ((condition) ? (void)0 : routing_fail(#condition, __FILE__, __LINE__))
void routing_fail(const char *condition, const char *file, int line);

void physical_reset(void);
/* Where the monitor finds it. */
uint64_t physical_base(void);
void physical_set_line(uint32_t source, bool up);
/* The claimed source is completed without the monitor. */
void physical_glitch(uint32_t source);
uint32_t physical_threshold(uint32_t context);
/* The source that interrupts a context, 0: none. */
uint32_t physical_due(uint32_t context);

#endif

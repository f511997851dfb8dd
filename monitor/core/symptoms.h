/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signs that a tenant is no kernel for where it runs: it does nothing but fault, or it executes
 * instructions of machine mode. Each is told on the log once in each life of the tenant.
 *
 * What the tenant's own handlers get by delegation never reaches the monitor. Of that, a handler
 * whose first instruction faults is found when statistics are asked for.
 */
#ifndef COTENANT_CORE_SYMPTOMS_H
#define COTENANT_CORE_SYMPTOMS_H

#include <stdbool.h>
#include <stdint.h>

struct tenant;
struct vhart;

/* So many times the same fault at the same place, with no other trap in between, and it is told. */
#define SYMPTOMS_FAULTS 100000

/* Of a tenant. */
struct symptoms {
    uint8_t found;  /* in this life, SYMPTOM_* */
    uint8_t untold; /* those that the log does not have yet */
    uint32_t instruction;
    uint64_t instruction_pc;
    uint64_t cause;
    uint64_t pc;
    uint64_t times; /* 0: not counted */
};

/* A new life begins. Shared lock held. */
void symptoms_begin(struct tenant *tenant);

/*
 * The loaded vhart of this hart is about to be shown an exception by the monitor; the CSRs are
 * those of the trap before.
 */
void symptoms_fault(struct vhart *vhart, uint64_t cause);

/* It has executed an instruction that it may not. Not with the shared lock. */
void symptoms_illegal(struct vhart *vhart, uint32_t instruction, uint64_t pc);

/* Whether the tenant does nothing but fault, as far as can be seen from here. Shared lock held. */
bool symptoms_only_faults(struct tenant *tenant);

/* Puts one line on the log; false: there is nothing to tell, as symptoms_wait() says. Shared lock
 * held. */
bool symptoms_tell(void);
bool symptoms_wait(void);

#endif

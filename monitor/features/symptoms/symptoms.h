/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signs that a tenant is no kernel for where it runs: it does nothing but fault, or it executes
 * instructions of machine mode. Each is told on the log once in each life of the tenant.
 *
 * What the tenant's own handlers get by delegation never reaches the monitor. Of that, a handler
 * whose first instruction faults is found when statistics are asked for.
 */
#ifndef COTENANT_FEATURES_SYMPTOMS_SYMPTOMS_H
#define COTENANT_FEATURES_SYMPTOMS_SYMPTOMS_H

#include <stdbool.h>
#include <stdint.h>

struct tenant;
struct vhart;

/* So many times the same fault at the same place, with no other trap in between, and it is told. */
#define SYMPTOMS_FAULTS 100000

/* A new life begins. Shared lock held. */
void symptoms_begin(struct tenant *tenant);

/*
 * The loaded vhart of this hart is about to be shown an exception by the monitor; the CSRs are
 * those of the trap before.
 */
void symptoms_fault(struct vhart *vhart, uint64_t cause);

/* It has executed an instruction that it may not. Not with the shared lock. */
void symptoms_illegal(struct vhart *vhart, uint32_t instruction, uint64_t pc);

/*
 * Sets *only_faults if the tenant does nothing but fault, as far as can be seen from here. Shared
 * lock held.
 */
void symptoms_only_faults(struct tenant *tenant, bool *only_faults);

/*
 * Puts a line on the log, part by part, until it is complete or an interrupt waits; false: there is
 * nothing to tell. Shared lock held.
 */
bool symptoms_tell(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether something more urgent than the monitor's work for the running vhart waits for this hart:
 * then work that can wait should be interrupted, and continued or repeated later. M-mode with
 * interrupts off.
 */
#ifndef COTENANT_CORE_WANTED_H
#define COTENANT_CORE_WANTED_H

#include <stdbool.h>

#include "arch/csr.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/shared_lock.h"

/* A vhart above the running one has mail; on a hart without a running vhart: any vhart. */
bool wanted_by_mail(const struct hart *hart);

/*
 * A timer or device interrupt is pending, or a message for a vhart above the running one. Other
 * messages do not count: a tenant on several harts can send them to itself so fast that one is
 * always pending, and work that is repeated from its beginning would never end.
 */
static inline bool hart_is_wanted(void)
{
    uint64_t pending = CSR_READ(mip) & INTERRUPTS_MACHINE;

    return pending != 0 &&
           (pending != INTERRUPT_MSI || (HAS(harts) && wanted_by_mail(hart_self())));
}

/*
 * The same, or another hart waits for the shared lock, which this one has: a step of work ends.
 * Asked behind something that was done: hostile harts can see to it that one of them always waits.
 */
static inline bool step_is_over(void)
{
    return hart_is_wanted() || shared_is_wanted(hart_self());
}

#endif

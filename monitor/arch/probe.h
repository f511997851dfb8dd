/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a hart has, and leaves to the monitor to emulate, found out by trying: boards need not say
 * it.
 *
 * For boot, on the hart concerned, before it runs a tenant. A probe that traps changes mcause,
 * mepc, mtval and the MPP and MPIE fields of mstatus, and nothing else.
 */
#ifndef COTENANT_ARCH_PROBE_H
#define COTENANT_ARCH_PROBE_H

#include <stdint.h>

/* From here on, no register of S-mode is there that tenants would see of each other. */
#define PROBE_ALL_IS_KEPT 0x4000000000000000

/*
 * The exceptions, one bit each as in medeleg, that the monitor must not delegate on this hart, and
 * at the top how many registers it lacks of those that the monitor does not keep apart.
 */
uint64_t probe_hart(void);

#endif

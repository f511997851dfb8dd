/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a hart leaves to the monitor to emulate, found out by trying: boards need not say it.
 *
 * For boot, on the hart concerned, before it runs a tenant. A probe that traps changes mcause,
 * mepc, mtval and the MPP and MPIE fields of mstatus, and nothing else.
 */
#ifndef COTENANT_ARCH_PROBE_H
#define COTENANT_ARCH_PROBE_H

#include <stdint.h>

/* The exceptions, one bit each as in medeleg, that the monitor must not delegate on this hart. */
uint64_t probe_emulated_exceptions(void);

#endif

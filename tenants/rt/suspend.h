/* SPDX-License-Identifier: BSD-2-Clause */
/* Suspending calls of SBI that go on elsewhere: hart_suspend (9.4) and system_suspend (13.1). */
#ifndef COTENANT_RT_SUSPEND_H
#define COTENANT_RT_SUSPEND_H

#define SUSPEND_KEPT 16
#define SUSPEND_KEPT_OFFSET 48

#ifndef __ASSEMBLER__

#include <stdint.h>

/* What the hart finds where it resumes, before anything is changed. */
struct suspend_result {
    int64_t error;    /* of the call, if it returned */
    uint64_t resumed; /* 1: it went on at the resume address, and what follows is valid */
    uint64_t hart;    /* a0 */
    uint64_t satp;
    uint64_t sstatus;
    uint64_t scounteren;
    uint64_t kept[SUSPEND_KEPT]; /* the registers of the caller */
};

/*
 * Makes the call with `type`, a resume address of its own and the address of *result as the opaque
 * argument, without which it does not find back. Comes back either way, with the registers of its
 * caller as they were. Interrupts must be off.
 */
void suspend(uint64_t extension, uint64_t function, uint64_t type, struct suspend_result *result);

#endif

#endif

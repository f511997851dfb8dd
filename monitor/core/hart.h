/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the monitor keeps for each physical hart. Only the hart itself writes it after boot, except
 * for what says otherwise. Others may read `loaded` and `scheduler.running`.
 */
#ifndef COTENANT_CORE_HART_H
#define COTENANT_CORE_HART_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "arch/csr.h"
#include "core/feature.h"
#include "core/scheduler.h"

struct vhart;

/* struct hart.features: timer interrupts of the tenant come from stimecmp. */
#define HART_SSTC 0x1
/* menvcfg and senvcfg exist. */
#define HART_ENVCFG 0x2
/* The pmpaddr registers are the same for all vharts: a switch writes pmpcfg only. */
#define HART_PMP_RESIDENT 0x4
/* The system has no other hart: nothing to lock, no hart to ask. */
#define HART_ALONE 0x8
/* A switch exchanges the registers of the H extension, too, and has to be told by the sign. */
#define HART_HYPERVISOR 0x8000000000000000

#define HART_STACK_SIZE 8192

/* hart.work_due of harts without steps of work: any patience may be added to it. */
#define WORK_NEVER (TIME_NEVER / 2)

/* Fences that one hart asks of another, counted; features/harts/remote_fence.c. */
struct fence_request {
    uint32_t wanted; /* written by the hart that asks */
    uint32_t done;   /* written by the hart that is asked */
};

/* The first three cache lines are all that the usual world switches touch. */
struct __attribute__((aligned(64))) hart {
    /* First: target of the store-conditional that ends a reservation at a world switch. */
    uint64_t reservation;
    /* Read by the trap entry in assembly. */
    uint64_t stack_top;
    uint64_t features;
    /*
     * What a world switch exchanges besides what is the same on all harts: 0 nothing, 1 senvcfg,
     * -2 senvcfg and stimecmp, -1 what `features` tells.
     */
    int64_t exchanges;
    /* Earliest moment at which another vhart than the running one needs the hart. */
    uint64_t event_deadline;
    volatile uint64_t *mtimecmp;
    const volatile uint64_t *mtime;
    /* The vhart whose world is loaded. */
    struct vhart *loaded;
    /*
     * Who gets the hart when event_deadline comes, if that is all there is to decide (see
     * entry/fast_switch.h); NULL: the full scheduler decides. Valid while `reschedule` is false.
     */
    struct schedulable *next_up;
    struct scheduler scheduler;
    /* Moment of the next step of core/work.h, or WORK_NEVER. */
    uint64_t work_due;
    /*
     * The vhart to which the claim register of the S-mode PLIC context is passed, or NULL, and the
     * register that holds the context's threshold: closed for all others (vhart.plic_threshold).
     * Without such a vhart the register is a word that nobody reads.
     */
    struct vhart *plic_user;
    volatile uint32_t *plic_threshold;
    uint32_t no_plic_threshold;
    /* How many of its vharts are attended, and which had the hart last on the path where they are:
     * core/attended.h. */
    uint32_t attended_vharts;
    struct schedulable *attended_last;
    /* Something happened that may change which vhart runs next. */
    bool reschedule;
    /* Written by other harts: vharts with requests, a bit each (core/messages.h). */
    uint64_t mail;
    /* And the harts that ask for fences: features/harts/remote_fence.c. */
    uint32_t fences;
    struct fence_request fence_requests[COTENANT_MAX_HARTS];
    bool sleeps_for_fences; /* until one of those that it has asked for is done */
    bool ready;             /* has set itself up and takes messages */
    uint8_t mail_turn;      /* the vhart from which on its mail is looked for next */

    uint32_t id; /* mhartid */
    uint32_t index;
    uint32_t plic_m_context; /* or COTENANT_NONE */
    uint32_t plic_s_context; /* or COTENANT_NONE */
    volatile uint32_t *msip; /* the hart's software interrupt, 1 raises it; or NULL */
    /* Exceptions that it raises for what the monitor emulates, bits as in medeleg: probe.h. */
    uint64_t emulated_exceptions;
};

extern struct hart harts[COTENANT_MAX_HARTS];

/* The hart that executes this. */
static inline struct hart *hart_self(void)
{
    return (struct hart *)READ_TP();
}

/* It executes this; the only one there is always does. */
static inline bool hart_is_self(const struct hart *hart)
{
    return !HAS(harts) || hart == hart_self();
}

/* Time now in ticks of mtime, by the memory-mapped counter that every board has. */
static inline uint64_t hart_now(const struct hart *hart)
{
    return *hart->mtime;
}

#endif

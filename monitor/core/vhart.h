/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtual hart: a tenant's hart, bound to one physical hart. */
#ifndef COTENANT_CORE_VHART_H
#define COTENANT_CORE_VHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/limits.h"
#include "arch/world.h"
#include "core/feature.h"
#include "core/scheduler.h"

/* Whether a tenant can have more than one: each has a hart of its own, but for those of guests. */
#define SEVERAL_VHARTS (HAS(harts) || HAS(hosted))

struct hart;
struct plic_vhart;
struct tenant;
struct bundle_vhart;

/* State of a vhart as its tenant sees it through SBI HSM (section 9); the shared lock's. */
enum vhart_state {
    VHART_STOPPED,
    VHART_START_PENDING, /* its hart has been asked to start it */
    VHART_STARTED,
    VHART_SUSPENDED,      /* its tenant is dormant, and goes on with it */
    VHART_RESUME_PENDING, /* it is about to go on, on its own hart */
};

/* Aligned to a cache line: the registers fill four of them, the rest of the world follows. */
struct __attribute__((aligned(64))) vhart {
    struct world world; /* first: the trap entry finds it through mscratch */
    struct schedulable schedulable;
    struct tenant *tenant;
    struct plic_vhart *plic; /* where hot paths find the state of features/plic, or NULL */
    const struct bundle_vhart *description;
    const struct sbi_extension *const *calls; /* that it can make: sbi_slots, or others so */
    /* Ticks that a due step of work leaves it the hart: 0 for the lowest one of the hart. */
    uint64_t work_patience;
    enum vhart_state state;
    uint32_t index; /* in vharts */
    /* For what is not done on the shortest paths of entry/fast_switch.h: any of these. */
    union {
        struct {
            bool brings_registers; /* when it gets the hart next: fp_claim() */
            /* Its time is spent on putting the tenant's images in place, or, if the loader is idle,
             * on a switch of the foreground. */
            bool loading;
            bool limited; /* has a budget: vhart_limit() */
        };
        uint32_t special;
    };
    /* Of the PLIC's context of its hart, while it has the hart; see hart.plic_user. */
    uint32_t plic_threshold;
    bool keeps_registers; /* which it brings along: fp_drop() */
    bool has_vectors;     /* as well: features/fp/vectors.h */
    bool uses_features;   /* a feature may keep something of it: hook vhart_ends */
    /* Accesses refused by PMP and shown to the tenant as faults; for the user. */
    uint64_t faults;
    struct world_rest rest;
    /* REQUEST_* of core/messages.h; written by any hart, atomically. */
    uint32_t requests;
    /* The rest is the shared lock's. What its hart was last told of its interrupts: */
    uint32_t routed;
    /* Unless VHART_STARTED or _STOPPED: where it will start or go on, and its a1 there. */
    uint64_t start_address;
    uint64_t start_argument;
    uint32_t attended; /* for how many reasons it is: core/attended.h */
};

extern struct vhart vharts[COTENANT_MAX_VHARTS];

/* Makes the tenant's vhart as it is described. At boot. */
void vhart_init(struct vhart *vhart, const struct bundle_vhart *description, struct tenant *tenant);

/*
 * Raises supervisor interrupts (bits of mip) of a vhart of this hart and wakes it if it waits for
 * one of them. Interrupts off; the shared lock is not needed. The caller goes on to
 * hart_schedule().
 */
void vhart_interrupt(struct vhart *vhart, uint64_t bits);

/* Ticks that a vhart of any hart has had its hart until `now`. */
uint64_t vhart_run_time(const struct vhart *vhart, uint64_t now);

/*
 * Of features/fp; the rest of the monitor calls them behind HAS(fp). By the vhart's own hart.
 *
 * It gets the hart while brings_registers is set: registers that the world switch does not move are
 * still another vhart's.
 */
void fp_claim(struct vhart *vhart);

/* It leaves its hart for good: the registers that it keeps are lost. */
void fp_drop(struct vhart *vhart);

/* Of features/vector, behind HAS(vector): the vector registers of one that has_vectors are in its
 * hart, whatever it brings. */
bool vector_is_in_hart(const struct vhart *vhart);

/* Whether the bundle has room for the vector registers of this hart. At boot. */
bool vector_fits(void);

/* Gives it a budget, or with 0 none. */
static inline void vhart_limit(struct vhart *vhart, uint64_t budget, uint64_t period)
{
    vhart->schedulable.budget = budget;
    vhart->schedulable.period = period;
    vhart->limited = budget != 0;
}

/* Its place among all: a feature keeps what is its own of a vhart in an array of that order. */
static inline uint32_t vhart_index(const struct vhart *vhart)
{
    return vhart->index;
}

static inline struct vhart *vhart_of(struct schedulable *schedulable)
{
    return (struct vhart *)((char *)schedulable - offsetof(struct vhart, schedulable));
}

#endif

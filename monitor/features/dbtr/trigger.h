/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug triggers of a hart (RISC-V debug specification 1.0, chapter 5): address and data match,
 * types 2 (mcontrol) and 6 (mcontrol6), whose action is a breakpoint exception. That exception is
 * delegated. Called by the hart itself, interrupts off.
 */
#ifndef COTENANT_FEATURES_DBTR_TRIGGER_H
#define COTENANT_FEATURES_DBTR_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hart.h"

/* Of each hart, at most; the others of a hart are left alone. */
#define MOST_TRIGGERS 8

/* Number n of a vhart is number n of its hart. */
struct trigger {
    bool mapped;
    uint64_t tdata1; /* as in the hart: modes that are disabled are 0 here */
    uint64_t tdata2;
    uint64_t modes; /* those of tdata1 that it was installed with */
};

/* What a hart has. */
struct hart_triggers {
    uint32_t count;                /* that tenants may use */
    uint16_t types[MOST_TRIGGERS]; /* that each can have, bits */
    uint64_t rest[MOST_TRIGGERS];  /* tdata1 of each when it matches nothing */
    struct vhart *user;            /* whose triggers are in the hart, or NULL */
    struct trigger *each;          /* those of the user */
};

extern struct hart_triggers hart_triggers[COTENANT_MAX_HARTS];

static inline struct hart_triggers *triggers_in(const struct hart *hart)
{
    return &hart_triggers[hart->index];
}

/* tdata1 of both types, sections 5.7.2, 5.7.11 and 5.7.12 */
#define TDATA1_TYPE_SHIFT 60
#define TDATA1_DMODE 0x0800000000000000
#define TDATA1_ACTION 0xf000
#define TDATA1_CHAIN 0x800
#define TDATA1_M 0x40
#define TDATA1_S 0x10
#define TDATA1_U 0x8
#define TDATA1_TYPE_MCONTROL 2
#define TDATA1_TYPE_MCONTROL6 6
/* mcontrol6 only */
#define TDATA1_VS 0x1000000
#define TDATA1_VU 0x800000

/* The bits of tdata1 that name the modes below M in which the trigger fires. */
static inline uint64_t trigger_modes(uint64_t tdata1)
{
    return tdata1 >> TDATA1_TYPE_SHIFT == TDATA1_TYPE_MCONTROL6
               ? TDATA1_VS | TDATA1_VU | TDATA1_S | TDATA1_U
               : TDATA1_S | TDATA1_U;
}

/* 1: the hart has the registers of debug triggers; 0: it has not. As those of arch/probe.h. */
uint64_t trigger_probe(void);

/* Finds out which triggers the hart has, and clears them. At boot. */
void triggers_probe(struct hart *hart);

/*
 * Sets trigger `number`. False: the hart has changed something of it, because it lacks a feature or
 * a value, and what it made of it is in force.
 */
bool trigger_set(uint32_t number, uint64_t tdata1, uint64_t tdata2);

/* tdata1 of the trigger as it is in the hart. */
uint64_t trigger_read(uint32_t number);

/* The trigger fires no more, and holds no address. */
void trigger_clear(const struct hart_triggers *in_hart, uint32_t number);

/* The same for those that the user has mapped; notes tdata1 of each as it was. */
void triggers_take_out(const struct hart_triggers *in_hart);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* How far the arguments of hostile SBI calls go that are to get far, and the forms of triggers. */
#ifndef COTENANT_HOSTILE_LIMITS_H
#define COTENANT_HOSTILE_LIMITS_H

#include "rt/sbi.h"

/* The lowest error code of the specification (section 3). */
#define SBI_ERR_LOWEST SBI_ERR_DENIED_LOCKED
/* Counters that there may be, and event types. */
#define MOST_COUNTERS 64
#define EVENT_TYPES 17
/* Triggers that there may be, and their tdata1. */
#define MOST_TRIGGERS 8
#define TRIGGER_TYPE_2 (2ul << 60)
#define TRIGGER_TYPE_6 (6ul << 60)
#define TRIGGER_S 0x10ul
#define TRIGGER_U 0x8ul
/* Bytes of a handler of software events. */
#define EVENT_STACK 2048

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the assembly and the C code of this feature know of each other. */
#ifndef COTENANT_FEATURES_HYPERVISOR_HYPERVISOR_H
#define COTENANT_FEATURES_HYPERVISOR_HYPERVISOR_H

/* mstatus: the trap was from V = 1, and its address is a guest's. Hypervisor extension, 8.4.1. */
#define MSTATUS_GVA_SHIFT 38
#define MSTATUS_MPV_SHIFT 39

/* Words for those of a vhart that are no views of others: 19, and hie is kept with mie. */
#define HYPERVISOR_REGISTERS 32
#define HYPERVISOR_VSTIMECMP 17

#ifndef __ASSEMBLER__

#include "abi/limits.h"
#include "entry/trap.h"

/* Of each vhart while its world is not loaded; the last one is of nobody. */
extern uint64_t hypervisor_registers[COTENANT_MAX_VHARTS + 1][HYPERVISOR_REGISTERS];

void hypervisor_entry(void);
void hypervisor_plain_entry(void);

/* An exception from V = 1. */
world_change hypervisor_trap(struct hart *hart);

#endif

#endif

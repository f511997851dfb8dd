/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor_exchange(a0 = world to keep, or nobody; a1 = world to run) is a part of world_enter()
 * on harts that have the H extension, once the PMP addresses are those of the new world: the
 * registers of the extension, and what translations for guests are cached. Called with t2, changes
 * t0, t1, t3.
 *
 * Of those go all that were made with another PMP (hypervisor extension, 8.5.3: a change of it needs
 * an hfence.gvma as well), and all of a VMID that both worlds may use.
 */
#include "abi/limits.h"
#include "arch/csr.h"
#include "features/hypervisor/hypervisor.h"
#include "offsets.h"

/* Instructions that the assembler need not know: all addresses, all guests. */
#define HFENCE_VVMA 0x22000073
#define HFENCE_GVMA 0x62000073

    .section .text.trap, "ax"

/* In `place`, of the registers of a world; t0 is where those of all are. */
    .macro find_registers world, place
    lwu \place, VHART_INDEX(\world)
    slli \place, \place, 8 /* times 8 * HYPERVISOR_REGISTERS */
    add \place, \place, t0
    .endm

    .macro exchange register, number
    ld t0, 8 * \number(t3)
    csrrw t0, \register, t0
    sd t0, 8 * \number(t1)
    .endm

    .globl hypervisor_exchange
hypervisor_exchange:
    /* One that goes on in the monitor, which has noted its mode elsewhere, comes from no guest. */
    ld t1, WORLD_MSTATUS(a0)
    li t3, MSTATUS_MPP
    and t0, t1, t3
    bne t0, t3, 1f
    li t3, 1 << MSTATUS_MPV_SHIFT
    not t3, t3
    and t1, t1, t3
    sd t1, WORLD_MSTATUS(a0)
1:  lla t0, hypervisor_registers
    find_registers a1, t3
    lla t1, nobody
    bne a0, t1, 2f
    li t1, COTENANT_MAX_VHARTS * 8 * HYPERVISOR_REGISTERS
    add t1, t1, t0
    j 3f
2:  find_registers a0, t1
    /* What is pending is read before and written behind those by which a hart may decide it. */
3:  csrr t0, 0x645 /* hvip */
    sd t0, 8 * 18(t1)
    exchange 0x600, 0 /* hstatus */
    exchange 0x602, 1 /* hedeleg */
    exchange 0x603, 2 /* hideleg */
    exchange 0x605, 3 /* htimedelta */
    exchange 0x606, 4 /* hcounteren */
    exchange 0x607, 5 /* hgeie */
    exchange 0x60a, 6 /* henvcfg */
    exchange 0x643, 7 /* htval */
    exchange 0x64a, 8 /* htinst */
    exchange 0x680, 9 /* hgatp */
    exchange 0x200, 10 /* vsstatus */
    exchange 0x205, 11 /* vstvec */
    exchange 0x240, 12 /* vsscratch */
    exchange 0x241, 13 /* vsepc */
    exchange 0x242, 14 /* vscause */
    exchange 0x243, 15 /* vstval */
    exchange 0x280, 16 /* vsatp */
    andi t0, t5, HART_SSTC
    beqz t0, 4f
    exchange 0x24d, HYPERVISOR_VSTIMECMP /* vstimecmp */
4:  ld t0, 8 * 18(t3)
    csrw 0x645, t0
    ld t0, WORLD_PMP_CONFIG(a1)
    ld t1, WORLD_PMP_CONFIG + 8(a1)
    csrw pmpcfg0, t0
    csrw pmpcfg2, t1
    .word HFENCE_GVMA
    .word HFENCE_VVMA
    jr t2

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world: all S- and U-mode state of one vhart, as the trap entry and the world switch keep it.
 *
 * The general registers, pc and mstatus are here whenever the monitor's C code runs for the vhart.
 * The other registers are here only while another vhart's world is loaded; for the loaded one the
 * hart itself has them. The accessors in arch/interrupts.h know the difference.
 */
#ifndef COTENANT_ARCH_WORLD_H
#define COTENANT_ARCH_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/limits.h"
#include "arch/csr.h"

struct hart;

/* Indices into world.registers: x0 is never stored, its place holds the program counter. */
#define REGISTER_PC 0
#define REGISTER_RA 1
#define REGISTER_A0 10
#define REGISTER_A1 11
#define REGISTER_A6 16
#define REGISTER_A7 17

struct world {
    uint64_t registers[32];
    uint64_t mstatus;
    uint64_t mie;
    uint64_t medeleg;
    uint64_t stvec;
    uint64_t sscratch;
    uint64_t sepc;
    uint64_t scause;
    uint64_t stval;
    uint64_t satp;
    uint64_t scounteren;
    uint64_t senvcfg;
    /* Bits of mip to present when the world is loaded: SSIP, STIP (without Sstc), SEIP. */
    uint64_t pending;
    /*
     * The tenant's next timer interrupt in ticks of mtime, all ones for none. Without Sstc always
     * valid; with Sstc it is stimecmp while the world is not loaded.
     */
    uint64_t deadline;
    struct hart *hart;
    uint32_t vhart_id;   /* the hart id that the tenant sees */
    uint64_t interrupts; /* machine interrupts taken while it ran; for the user */
    uint64_t pmp_config[2];
};

/*
 * What a world switch moves rarely or never. Apart, so that what it always moves lies close
 * together: with cold caches a switch costs what its cache lines cost.
 */
struct world_rest {
    uint64_t pmp_address[COTENANT_PMP_ENTRIES];
};

/*
 * A vhart that keeps its hart naps in a suspend: it runs code of the monitor, in M-mode, and its
 * own registers are not all here (hook vhart_nap_ends).
 */
static inline bool world_naps(const struct world *world)
{
    return (world->mstatus & MSTATUS_MPP) == MSTATUS_MPP;
}

#endif

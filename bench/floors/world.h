/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world of the floors: what the hart has of a tenant (docs/world-state.md). One register,
 * mscratch in the worlds' time and sp in machine mode, reaches all three of a program: the worlds A
 * and B, and behind them what the program's own check has found in the hart.
 */
#ifndef COTENANT_FLOORS_WORLD_H
#define COTENANT_FLOORS_WORLD_H

#include "arch/csr.h"

/* Of a world, in struct world's order; the program counter is in the place of x0. */
#define REGISTER(n) ((n)*8)
#define PC REGISTER(0)
#define WORLD_MSTATUS 256
#define WORLD_SSCRATCH 264
#define WORLD_SEPC 272
#define WORLD_SCAUSE 280
#define WORLD_STVAL 288
#define WORLD_STVEC 296
#define WORLD_SCOUNTEREN 304
#define WORLD_SENVCFG 312
#define WORLD_MIE 320
#define WORLD_PENDING 328
#define WORLD_SATP 336
#define WORLD_MEDELEG 344
#define WORLD_PMPCFG0 352
#define WORLD_DEADLINE 360
#define WORLD_F 368
#define WORLD_FCSR 624
#define WORLD_SIZE 640

/* From sp. */
#define A (-WORLD_SIZE)
#define B 0
#define SEEN WORLD_SIZE

/* CSRs that not every assembler has names for. */
#define CSR_SENVCFG 0x10a
#define CSR_STIMECMP 0x14d
#define CSR_MENVCFG 0x30a

#define MSIP 0x02000000
#define MTIMECMP 0x02004000
#define MTIME 0x0200bff8

#ifndef __ASSEMBLER__
#include <stdint.h>

struct world {
    uint64_t x[32];
    uint64_t mstatus;
    uint64_t sscratch;
    uint64_t sepc;
    uint64_t scause;
    uint64_t stval;
    uint64_t stvec;
    uint64_t scounteren;
    uint64_t senvcfg;
    uint64_t mie;
    uint64_t pending; /* of mip */
    uint64_t satp;
    uint64_t medeleg;
    uint64_t pmpcfg0;
    uint64_t deadline; /* of its timer, or what stimecmp holds */
    uint64_t f[32];
    uint64_t fcsr;
    uint64_t unused;
};

_Static_assert(sizeof(struct world) == WORLD_SIZE, "assembly knows it");

/* The hart's stay in other worlds: worlds.S. */
void floor_go(const void *target, const struct world *argument);
extern const char floor_enter[];
extern const char floor_check[];
#endif

#endif

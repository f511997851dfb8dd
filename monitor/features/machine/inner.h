/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tenants in machine mode that have S-mode as well: firmware with a kernel above it.
 *
 * Their machine mode runs in U-mode without translation, so that each access to a CSR, those of
 * S-mode too, comes to the monitor. Their S-mode and U-mode are the hart's own: page tables,
 * delegated traps and interrupts, sret and sfence.vma are the hardware's affair. The hart's
 * supervisor registers always hold the tenant's, whichever mode runs, but for satp, scounteren and
 * mie: those of S-mode are in struct inner while machine mode has the hart.
 *
 * SSIP, STIP and SEIP of the hart are the tenant's; MSIP and MTIP are computed here. mideleg of the
 * hart is the tenant's while it runs, and the monitor's whenever C code does.
 *
 * All functions are called by the vhart's own hart with interrupts off, the vhart being loaded.
 */
#ifndef COTENANT_FEATURES_MACHINE_INNER_H
#define COTENANT_FEATURES_MACHINE_INNER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"
#include "entry/trap.h"

#define INTERRUPTS_ALL (INTERRUPTS_SUPERVISOR | INTERRUPTS_MACHINE)

struct inner {
    bool in_machine;
    uint64_t status; /* MIE, MPIE, MPP, MPRV, TVM, TW and TSR of mstatus; the hart has the rest */
    uint64_t mie;    /* bits of S-mode: those of the hart, unless in_machine */
    uint64_t mideleg;
    uint64_t medeleg;
    uint64_t mepc;
    uint64_t mcause;
    uint64_t mtval;
    uint64_t mscratch;
    /* Of S-mode, while in_machine. */
    uint64_t satp;
    uint64_t scounteren;
    /* Rights of the vhart's PMP entries that are taken away while MPRV counts: every load and store
     * of machine mode comes to the monitor then. */
    uint64_t withdrawn[2];
};

/* In the place of machine_trap(). */
world_change machine_inner_trap(struct hart *hart);

/* mip as its machine mode reads it. */
uint64_t inner_pending(const struct vhart *vhart);

/* A trap to machine mode, from any mode: privileged ISA 3.1.6, 3.1.7. */
void inner_enter_machine(struct vhart *vhart, uint64_t cause, uint64_t value);

/* Shows an exception to the mode that medeleg says. */
void inner_take_exception(struct vhart *vhart, uint64_t cause, uint64_t value);

/* An instruction of machine mode that trapped. False: it is illegal. */
bool inner_execute(struct vhart *vhart, uint32_t instruction);

/* WFI in machine mode or S-mode; moves the pc on. */
void inner_wait(struct vhart *vhart);

/* CSRs as machine mode sees them; false: there is none, or it cannot be written. */
bool inner_read_csr(struct vhart *vhart, uint32_t number, uint64_t *value);
bool inner_write_csr(struct vhart *vhart, uint32_t number, uint64_t value);

/* Loads and stores of machine mode are made as by the mode in MPP: section 3.1.6.3. */
bool inner_modifies_privilege(const struct vhart *vhart);

/* Does the load or store at the pc so, or shows its exception; `store` and `address` of the trap.
 */
void inner_access_as_below(struct vhart *vhart, bool store, uint64_t address);

/* Takes an interrupt that is due for machine mode, and brings the hart to what the state says. */
void inner_settle(struct vhart *vhart);

#endif

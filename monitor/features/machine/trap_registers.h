/* SPDX-License-Identifier: BSD-2-Clause */
/* The hart's own sscratch, sepc, scause and stval by number. By its own hart, interrupts off. */
#ifndef COTENANT_FEATURES_MACHINE_TRAP_REGISTERS_H
#define COTENANT_FEATURES_MACHINE_TRAP_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/csr.h"
#include "features/machine/csrs.h"

/* False: `number` is none of the four. */
static inline bool trap_register_read(uint32_t number, uint64_t *value)
{
    switch (number) {
    case CSR_SSCRATCH:
        *value = CSR_READ(sscratch);
        return true;
    case CSR_SEPC:
        *value = CSR_READ(sepc);
        return true;
    case CSR_SCAUSE:
        *value = CSR_READ(scause);
        return true;
    case CSR_STVAL:
        *value = CSR_READ(stval);
        return true;
    default:
        return false;
    }
}

static inline bool trap_register_write(uint32_t number, uint64_t value)
{
    switch (number) {
    case CSR_SSCRATCH:
        CSR_WRITE(sscratch, value);
        return true;
    case CSR_SEPC:
        CSR_WRITE(sepc, value);
        return true;
    case CSR_SCAUSE:
        CSR_WRITE(scause, value);
        return true;
    case CSR_STVAL:
        CSR_WRITE(stval, value);
        return true;
    default:
        return false;
    }
}

#endif

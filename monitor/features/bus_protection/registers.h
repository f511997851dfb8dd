/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to registers of 64 bits, as arch/mmio.h. Tests replace this header as well. */
#ifndef COTENANT_FEATURES_BUS_PROTECTION_REGISTERS_H
#define COTENANT_FEATURES_BUS_PROTECTION_REGISTERS_H

#include <stdint.h>

static inline uint64_t mmio_read64(uint64_t address)
{
    return *(volatile uint64_t *)(uintptr_t)address;
}

static inline void mmio_write64(uint64_t address, uint64_t value)
{
    *(volatile uint64_t *)(uintptr_t)address = value;
}

#endif

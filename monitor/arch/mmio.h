/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to device registers.
 *
 * No fences: device registers lie in strongly ordered I/O memory, where a hart's accesses keep
 * their order among themselves (privileged ISA, "Memory-Ordering PMAs"), and no device of the
 * monitor reads or writes main memory; features/guard, which drives devices of tenants, has fences
 * of its own. Tests replace this header by one that records.
 */
#ifndef COTENANT_ARCH_MMIO_H
#define COTENANT_ARCH_MMIO_H

#include <stdint.h>

static inline uint8_t mmio_read8(uint64_t address)
{
    return *(volatile uint8_t *)(uintptr_t)address;
}

static inline uint16_t mmio_read16(uint64_t address)
{
    return *(volatile uint16_t *)(uintptr_t)address;
}

static inline uint32_t mmio_read32(uint64_t address)
{
    return *(volatile uint32_t *)(uintptr_t)address;
}

static inline void mmio_write8(uint64_t address, uint8_t value)
{
    *(volatile uint8_t *)(uintptr_t)address = value;
}

static inline void mmio_write16(uint64_t address, uint16_t value)
{
    *(volatile uint16_t *)(uintptr_t)address = value;
}

static inline void mmio_write32(uint64_t address, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)address = value;
}

#endif

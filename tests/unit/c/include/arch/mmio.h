/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for monitor/arch/mmio.h: accesses go to mmio_recorder.c. */
#ifndef COTENANT_ARCH_MMIO_H
#define COTENANT_ARCH_MMIO_H

#include <stdint.h>

uint8_t mmio_read8(uint64_t address);
uint16_t mmio_read16(uint64_t address);
uint32_t mmio_read32(uint64_t address);
void mmio_write8(uint64_t address, uint8_t value);
void mmio_write16(uint64_t address, uint16_t value);
void mmio_write32(uint64_t address, uint32_t value);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for registers of 64 bits: a test has functions of its own for them. */
#ifndef COTENANT_FEATURES_BUS_PROTECTION_REGISTERS_H
#define COTENANT_FEATURES_BUS_PROTECTION_REGISTERS_H

#include <stdint.h>

uint64_t mmio_read64(uint64_t address);
void mmio_write64(uint64_t address, uint64_t value);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One floating-point register of the hart, by its number, 0..31: all 64 bits. mstatus.FS must not
 * be off.
 */
#ifndef COTENANT_FEATURES_MISALIGNED_FP_REGISTER_H
#define COTENANT_FEATURES_MISALIGNED_FP_REGISTER_H

#include <stdint.h>

uint64_t fp_read_register(uint64_t number);
void fp_write_register(uint64_t number, uint64_t value);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/reset.h"

#include "abi/bundle.h"
#include "arch/mmio.h"

/* The SiFive test device: one 32-bit register, the command in its lower half. */
#define SIFIVE_TEST_PASS 0x5555

void reset_power_off(const struct reset *reset)
{
    if (reset->kind == COTENANT_RESET_SIFIVE_TEST) {
        mmio_write32(reset->base, SIFIVE_TEST_PASS);
    }
}

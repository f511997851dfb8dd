/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/reset.h"

#include "abi/bundle.h"
#include "arch/mmio.h"

/* The SiFive test device: one 32-bit register, the command in its lower half. */
#define SIFIVE_TEST_PASS 0x5555
#define SIFIVE_TEST_RESET 0x7777

static void write_command(const struct reset *reset, uint32_t command)
{
    if (reset->kind == COTENANT_RESET_SIFIVE_TEST) {
        mmio_write32(reset->base, command);
    }
}

void reset_power_off(const struct reset *reset)
{
    write_command(reset, SIFIVE_TEST_PASS);
}

void reset_reboot(const struct reset *reset)
{
    write_command(reset, SIFIVE_TEST_RESET);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* No tenant has floating-point registers. */
#include "arch/fp.h"

void fp_save(struct world *world)
{
    (void)world;
}

void fp_load(struct world *world)
{
    (void)world;
}

uint64_t fp_read_register(uint64_t number)
{
    (void)number;
    return 0;
}

void fp_write_register(uint64_t number, uint64_t value)
{
    (void)number;
    (void)value;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* No tenant has a guarded device. */
#include "features/guard/guard.h"

struct guard guards[COTENANT_MAX_GUARDED];
uint32_t guard_count;

void guard_init(void)
{
}

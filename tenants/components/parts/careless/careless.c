/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

static volatile uint64_t *volatile nowhere = (volatile uint64_t *)8;

uint64_t export_wait_for(uint64_t lock)
{
    return locks_take(lock, 1000000).value;
}

uint64_t export_fail_with(uint64_t lock)
{
    if (locks_take(lock, 0).value == 1) {
        *nowhere = 1;
    }
    return 0;
}

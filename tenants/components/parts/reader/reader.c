/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

uint64_t export_add(uint64_t address, uint64_t words)
{
    const uint64_t *word = (const uint64_t *)(uintptr_t)address;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < words; i++) {
        sum += word[i];
    }
    return sum;
}

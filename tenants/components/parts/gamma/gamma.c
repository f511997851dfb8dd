/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/checked.h"
#include "generated.h"

uint64_t export_work(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t sum,
                     uint64_t caller)
{
    if (sum != checked_sum(a, b, c, d, e) || caller != ID_BETA) {
        return CHECKED_WRONG;
    }
    return mix(sum, 3);
}

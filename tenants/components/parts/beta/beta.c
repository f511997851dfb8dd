/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/checked.h"
#include "generated.h"

uint64_t export_work(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t sum,
                     uint64_t caller)
{
    struct result result;

    if (sum != checked_sum(a, b, c, d, e) || caller != ID_ALPHA) {
        return CHECKED_WRONG;
    }
    result = gamma_work(e, d, c, b, a, checked_sum(e, d, c, b, a));
    return checked_result(result, mix(checked_sum(e, d, c, b, a), 3), mix(sum, 2));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/checked.h"
#include "generated.h"

uint64_t export_work(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t sum)
{
    struct result result;

    if (sum != checked_sum(a, b, c, d, e)) {
        return CHECKED_WRONG;
    }
    result = beta_work(b, c, d, e, a, checked_sum(b, c, d, e, a));
    return checked_result(result, mix(checked_sum(b, c, d, e, a), 2), mix(sum, 1));
}

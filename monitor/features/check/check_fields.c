/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "core/feature.h"

/* How often a phase's parts run. */
static uint32_t rounds(const struct bundle *bundle, enum check_phase phase)
{
    switch (phase) {
    case CHECK_TENANTS:
    case CHECK_ADDED:
        return bundle->tenant_count;
    case CHECK_VHARTS:
    case CHECK_PROTECTION:
        return bundle->vhart_count;
    default:
        return 1;
    }
}

static struct check_result check_phase(const struct bundle *bundle, uint64_t monitor_size,
                                       enum check_phase phase, uint32_t index)
{
    FOR_EACH_IN_TABLE(bundle_checks, check)
    {
        struct check_result result = check_good();

        if (check->phase == phase) {
            result =
                check->one != NULL ? check->one(bundle, index) : check->whole(bundle, monitor_size);
        }
        if (result.problem != NULL) {
            return result;
        }
    }
    return check_good();
}

struct check_result check_fields(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_good();

    for (unsigned phase = 0; result.problem == NULL && phase < CHECK_PHASES; phase++) {
        uint32_t count = rounds(bundle, phase);

        for (uint32_t i = 0; result.problem == NULL && i < count; i++) {
            result = check_phase(bundle, monitor_size, phase, i);
        }
    }
    return result;
}

FEATURE(check);

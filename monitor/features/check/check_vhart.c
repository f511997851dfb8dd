/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "device/plic_map.h"
#include "features/check/words.h"

#define VHART_FLAGS (COTENANT_VHART_WFI_YIELDS | COTENANT_VHART_PLIC_PASSTHROUGH)
#define LEAST_SLICE_US 100
#define MOST_US 1000000

static bool is_vhart_of(const struct bundle_tenant *tenant, uint32_t index)
{
    return index >= tenant->vhart_first && index - tenant->vhart_first < tenant->vhart_count;
}

static uint32_t check_place(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    const struct bundle_tenant *tenant;

    REQUIRE_FIELD(vhart->tenant < bundle->tenant_count, VHART_TENANT, NO_SUCH_TENANT);
    tenant = &bundle->tenants[vhart->tenant];
    REQUIRE_FIELD(is_vhart_of(tenant, index) && vhart->id == index - tenant->vhart_first, VHART_ID,
                  UNEXPECTED);
    for (uint32_t other = 0; other < bundle->tenant_count; other++) {
        REQUIRE_FIELD(other == vhart->tenant || !is_vhart_of(&bundle->tenants[other], index),
                      VHART_TENANT, CLAIMED_TWICE);
    }
    REQUIRE_FIELD(vhart->hart < bundle->board.hart_count, VHART_HART, NO_SUCH_HART);
    for (uint32_t other = tenant->vhart_first; other < index; other++) {
        REQUIRE_FIELD(bundle->vharts[other].hart != vhart->hart, VHART_HART, MEETS_OWN_VHART);
    }
    REQUIRE_FIELD((vhart->flags & ~(uint32_t)VHART_FLAGS) == 0, VHART_FLAGS, UNKNOWN);
    return CHECK_IS_GOOD;
}

/* A budget of less than one tick would mean none, and none means no limit. */
static uint32_t check_time(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];

    REQUIRE_FIELD(vhart->priority <= 255, VHART_PRIORITY, OUT_OF_RANGE);
    REQUIRE_FIELD(vhart->slice_us >= LEAST_SLICE_US && vhart->slice_us <= MOST_US, VHART_SLICE_US,
                  OUT_OF_RANGE);
    REQUIRE_FIELD(vhart->budget_us == 0 ||
                      (vhart->budget_us < vhart->period_us && vhart->period_us <= MOST_US),
                  VHART_BUDGET_US, NOT_BELOW_PERIOD);
    REQUIRE_FIELD(vhart->budget_us == 0 ||
                      (uint64_t)vhart->budget_us * bundle->board.timebase_hz >= 1000000,
                  VHART_BUDGET_US, BELOW_ONE_TICK);
    return CHECK_IS_GOOD;
}

/*
 * Only the one vhart that is below all others of its hart may have the interrupt controller. Looks
 * at vharts behind this one: all of them have to be somebody's by then.
 */
static uint32_t sharing_of(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    bool yields = (vhart->flags & COTENANT_VHART_WFI_YIELDS) != 0;
    uint32_t sharing = 0;

    REQUIRE_FIELD((vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) == 0 || !yields, VHART_FLAGS,
                  YIELDS_WITH_PLIC);
    for (uint32_t other = 0; other < bundle->vhart_count; other++) {
        const struct bundle_vhart *theirs = &bundle->vharts[other];

        if (theirs->hart == vhart->hart) {
            sharing++;
            REQUIRE_FIELD(other == index || yields || theirs->priority > vhart->priority ||
                              (theirs->priority == vhart->priority &&
                               check_share_a_group(&bundle->tenants[theirs->tenant],
                                                   &bundle->tenants[vhart->tenant])),
                          VHART_FLAGS, KEEPS_HART);
        }
    }
    REQUIRE_FIELD(sharing <= COTENANT_MAX_VHARTS_PER_HART, VHART_HART, SHARED_BY_TOO_MANY);
    return CHECK_IS_GOOD;
}

static bool passes_first_of(const struct bundle *bundle, uint32_t tenant)
{
    const struct bundle_vhart *first = &bundle->vharts[bundle->tenants[tenant].vhart_first];

    return (first->flags & COTENANT_VHART_PLIC_PASSTHROUGH) != 0;
}

static uint32_t check_interrupts(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    uint32_t physical = bundle->board.harts[vhart->hart].plic_s_context;
    bool passed = (vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) != 0;

    /* features/plic/routing.c: the sources of a tenant come to it, or to the monitor. */
    REQUIRE_FIELD(passed == passes_first_of(bundle, vhart->tenant), VHART_FLAGS, PASSED_TO_SOME);
    REQUIRE_FIELD(vhart->plic_m_context == COTENANT_NONE || vhart->plic_m_context < PLIC_CONTEXTS,
                  VHART_PLIC_M_CONTEXT, OUT_OF_RANGE);
    REQUIRE_FIELD(vhart->plic_s_context == COTENANT_NONE || vhart->plic_s_context < PLIC_CONTEXTS,
                  VHART_PLIC_S_CONTEXT, OUT_OF_RANGE);
    REQUIRE_FIELD(!passed || (physical != COTENANT_NONE && vhart->plic_s_context == physical &&
                              bundle->tenants[vhart->tenant].plic_base == bundle->board.plic_base),
                  VHART_PLIC_S_CONTEXT, NOT_PASSED_THROUGH);
    /* Guests of its tenant have a PLIC although it may have none. */
    REQUIRE_FIELD(passed || bundle->board.harts[vhart->hart].plic_m_context != COTENANT_NONE ||
                      (vhart->plic_s_context == COTENANT_NONE &&
                       bundle->tenants[vhart->tenant].guest_count == 0),
                  VHART_PLIC_S_CONTEXT, NO_MONITOR_CONTEXT);
    REQUIRE_FIELD(vhart->plic_claim_entry == COTENANT_NONE ||
                      (passed && vhart->plic_claim_entry < bundle->board.pmp_entries),
                  VHART_PLIC_CLAIM_ENTRY, NO_SUCH_ENTRY);
    return CHECK_IS_GOOD;
}

static struct check_result check_vhart(const struct bundle *bundle, uint32_t index)
{
    uint32_t refusal = check_place(bundle, index);

    if (refusal == CHECK_IS_GOOD) {
        refusal = check_time(bundle, index);
    }
    if (refusal == CHECK_IS_GOOD) {
        refusal = check_interrupts(bundle, index);
    }
    return check_in_words(refusal, index);
}

BUNDLE_CHECK_EACH(CHECK_VHARTS, check_vhart);

static struct check_result check_sharing(const struct bundle *bundle, uint32_t index)
{
    return check_in_words(sharing_of(bundle, index), index);
}

BUNDLE_CHECK_EACH(CHECK_PROTECTION, check_sharing);

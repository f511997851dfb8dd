/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "device/plic_map.h"

#define VHART_FLAGS (COTENANT_VHART_WFI_YIELDS | COTENANT_VHART_PLIC_PASSTHROUGH)
#define LEAST_SLICE_US 100
#define MOST_US 1000000

static bool is_vhart_of(const struct bundle_tenant *tenant, uint32_t index)
{
    return index >= tenant->vhart_first && index - tenant->vhart_first < tenant->vhart_count;
}

static struct check_result check_place(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    const struct bundle_tenant *tenant;

    REQUIRE(vhart->tenant < bundle->tenant_count, "vhart.tenant: no such tenant", index);
    tenant = &bundle->tenants[vhart->tenant];
    REQUIRE(is_vhart_of(tenant, index) && vhart->id == index - tenant->vhart_first,
            "vhart.id: not the one that its tenant expects", index);
    for (uint32_t other = 0; other < bundle->tenant_count; other++) {
        REQUIRE(other == vhart->tenant || !is_vhart_of(&bundle->tenants[other], index),
                "vhart.tenant: another tenant claims it too", index);
    }
    REQUIRE(vhart->hart < bundle->board.hart_count, "vhart.hart: no such hart", index);
    for (uint32_t other = tenant->vhart_first; other < index; other++) {
        REQUIRE(bundle->vharts[other].hart != vhart->hart,
                "vhart.hart: another vhart of its tenant is there", index);
    }
    REQUIRE((vhart->flags & ~(uint32_t)VHART_FLAGS) == 0, "vhart.flags: unknown", index);
    return check_good();
}

/* A budget of less than one tick would mean none, and none means no limit. */
static struct check_result check_time(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];

    REQUIRE(vhart->priority <= 255, "vhart.priority: above 255", index);
    REQUIRE(vhart->slice_us >= LEAST_SLICE_US && vhart->slice_us <= MOST_US,
            "vhart.slice_us: out of range", index);
    REQUIRE(vhart->budget_us == 0 ||
                (vhart->budget_us < vhart->period_us && vhart->period_us <= MOST_US),
            "vhart.budget_us: not below a period of at most a second", index);
    REQUIRE(vhart->budget_us == 0 ||
                (uint64_t)vhart->budget_us * bundle->board.timebase_hz >= 1000000,
            "vhart.budget_us: less than one tick of the timer", index);
    return check_good();
}

/* Only the one vhart that is below all others of its hart may have the interrupt controller. */
static struct check_result check_sharing(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    bool yields = (vhart->flags & COTENANT_VHART_WFI_YIELDS) != 0;
    uint32_t sharing = 0;

    REQUIRE((vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) == 0 || !yields,
            "vhart.flags: a vhart that yields cannot have the interrupt controller", index);
    for (uint32_t other = 0; other < bundle->vhart_count; other++) {
        const struct bundle_vhart *theirs = &bundle->vharts[other];

        if (theirs->hart == vhart->hart) {
            sharing++;
            REQUIRE(other == index || yields || theirs->priority > vhart->priority ||
                        (theirs->priority == vhart->priority &&
                         check_share_a_group(&bundle->tenants[theirs->tenant],
                                             &bundle->tenants[vhart->tenant])),
                    "vhart.flags: only the lowest of a hart may keep it while it waits", index);
        }
    }
    REQUIRE(sharing <= COTENANT_MAX_VHARTS_PER_HART, "vhart.hart: shared by too many", index);
    return check_good();
}

static bool passes_first_of(const struct bundle *bundle, uint32_t tenant)
{
    const struct bundle_vhart *first = &bundle->vharts[bundle->tenants[tenant].vhart_first];

    return (first->flags & COTENANT_VHART_PLIC_PASSTHROUGH) != 0;
}

static struct check_result check_interrupts(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    uint32_t physical = bundle->board.harts[vhart->hart].plic_s_context;
    bool passed = (vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) != 0;

    /* features/plic/routing.c: the sources of a tenant come to it, or to the monitor. */
    REQUIRE(passed == passes_first_of(bundle, vhart->tenant),
            "vhart.flags: the interrupt controller is for all vharts of a tenant or none", index);
    REQUIRE(vhart->plic_m_context == COTENANT_NONE || vhart->plic_m_context < PLIC_CONTEXTS,
            "vhart.plic_m_context: out of range", index);
    REQUIRE(vhart->plic_s_context == COTENANT_NONE || vhart->plic_s_context < PLIC_CONTEXTS,
            "vhart.plic_s_context: out of range", index);
    REQUIRE(!passed || (physical != COTENANT_NONE && vhart->plic_s_context == physical &&
                        bundle->tenants[vhart->tenant].plic_base == bundle->board.plic_base),
            "vhart.plic_s_context: not the one of its hart that is passed through", index);
    REQUIRE(passed || vhart->plic_s_context == COTENANT_NONE ||
                bundle->board.harts[vhart->hart].plic_m_context != COTENANT_NONE,
            "vhart.plic_s_context: its hart has no context for the monitor", index);
    REQUIRE(vhart->plic_claim_entry == COTENANT_NONE ||
                (passed && vhart->plic_claim_entry < bundle->board.pmp_entries),
            "vhart.plic_claim_entry: no such entry, or nothing is passed through", index);
    return check_good();
}

static struct check_result check_vhart(const struct bundle *bundle, uint32_t index)
{
    struct check_result result = check_place(bundle, index);

    if (result.problem == NULL) {
        result = check_time(bundle, index);
    }
    if (result.problem == NULL) {
        result = check_sharing(bundle, index);
    }
    return result.problem == NULL ? check_interrupts(bundle, index) : result;
}

BUNDLE_CHECK_EACH(CHECK_VHARTS, check_vhart);

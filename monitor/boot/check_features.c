/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bundle needs, against what this monitor is built with: nothing in the full monitor. */
#include "boot/check_rules.h"
#include "core/features.h"
#include "features/guard/guarded.h"

#define WITHOUT ": this monitor is built without "

static struct check_result check_machine(const struct bundle *bundle)
{
    REQUIRE(FEATURE_HARTS || bundle->board.hart_count == 1,
            "board.hart_count" WITHOUT "several harts", -1);
    REQUIRE(FEATURE_TERMINAL || bundle->console.mode != COTENANT_CONSOLE_MUX,
            "console.mode" WITHOUT "the terminal", -1);
    REQUIRE(FEATURE_FRAMES || bundle->console.mode != COTENANT_CONSOLE_FRAMED,
            "console.mode" WITHOUT "frames", -1);
    REQUIRE(FEATURE_TRACE || bundle->trace.ring_size == 0, "trace.ring_size" WITHOUT "traces", -1);
    REQUIRE(FEATURE_NEXT_STAGE || bundle->next_stage.size == 0,
            "next_stage.size" WITHOUT "a next stage", -1);
    return check_good();
}

static struct check_result check_needs(const struct bundle_tenant *tenant, uint32_t index)
{
    REQUIRE(FEATURE_GROUPS || tenant->group == COTENANT_NONE, "tenant.group" WITHOUT "groups",
            index);
    REQUIRE(FEATURE_WATCH || (tenant->watch_within_us == 0 && tenant->watchdog_base == 0),
            "tenant.watch_within_us" WITHOUT "heartbeats", index);
    REQUIRE(FEATURE_CONTROL || (tenant->may_see | tenant->may_control) == 0,
            "tenant.may_see" WITHOUT "the control protocol", index);
    REQUIRE(FEATURE_FP || (tenant->flags & COTENANT_TENANT_FP) == 0,
            "tenant.flags" WITHOUT "floating point", index);
    REQUIRE(FEATURE_DEVICES || tenant->resets[0].kind == COTENANT_DEVICE_RESET_NONE,
            "tenant.resets.kind" WITHOUT "drivers of tenants' devices", index);
    for (uint32_t i = 0; i < COTENANT_MAX_RESETS; i++) {
        REQUIRE(FEATURE_GUARD || !is_guarded(tenant, &tenant->resets[i]),
                "tenant.resets.kind" WITHOUT "guarded devices", index);
    }
    return check_good();
}

static bool has_kind(uint32_t kind)
{
    return (FEATURE_GROUPS || kind != COTENANT_VIRTUAL_INPUT) &&
           (FEATURE_STREAMS || kind != COTENANT_VIRTUAL_CONSOLE) &&
           (FEATURE_NETS || kind != COTENANT_VIRTUAL_NET) &&
           (FEATURE_SOCKETS || kind != COTENANT_VIRTUAL_SOCKET);
}

struct check_result check_features(const struct bundle *bundle)
{
    struct check_result result = check_machine(bundle);

    for (uint32_t i = 0; result.problem == NULL && i < bundle->tenant_count; i++) {
        result = check_needs(&bundle->tenants[i], i);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->device_count; i++) {
        REQUIRE(has_kind(bundle->devices[i].kind), "devices.kind" WITHOUT "this kind", i);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->channel_count; i++) {
        REQUIRE(FEATURE_CONTROL || bundle->channels[i].kind != COTENANT_CHANNEL_CONTROL,
                "channels.kind" WITHOUT "the control protocol", i);
    }
    return result;
}

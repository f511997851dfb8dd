/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/check.h"

#include "abi/trace.h"
#include "boot/check_rules.h"
#include "core/crc32.h"
#include "core/feature.h"
#include "core/features.h"

static struct check_result check_header(const struct bundle *bundle)
{
    static const uint8_t zero[sizeof(bundle->crc32)];
    const uint8_t *bytes = (const uint8_t *)bundle;
    size_t after = offsetof(struct bundle, crc32) + sizeof(bundle->crc32);
    uint32_t crc;

    REQUIRE(bundle->magic == COTENANT_BUNDLE_MAGIC, "magic: this is not a bundle", -1);
    REQUIRE(bundle->version == COTENANT_BUNDLE_VERSION,
            "version: made for another version of the monitor", -1);
    REQUIRE(bundle->size == sizeof(*bundle), "size: made for another version of the monitor", -1);
    crc = crc32_update(0, bytes, offsetof(struct bundle, crc32));
    crc = crc32_update(crc, zero, sizeof(zero));
    crc = crc32_update(crc, bytes + after, sizeof(*bundle) - after);
    REQUIRE(crc == bundle->crc32, "crc32: the configuration is damaged", -1);
    REQUIRE(bundle->total_size >= sizeof(*bundle) && check_aligned(bundle->total_size, 8),
            "total_size: too small or not a multiple of 8", -1);
    REQUIRE(bundle->tenant_count >= 1 && bundle->tenant_count <= COTENANT_MAX_TENANTS,
            "tenant_count: out of range", -1);
    REQUIRE(bundle->vhart_count >= 1 && bundle->vhart_count <= COTENANT_MAX_VHARTS,
            "vhart_count: out of range", -1);
    REQUIRE(bundle->device_count <= COTENANT_MAX_VIRTUAL_DEVICES, "device_count: out of range", -1);
    REQUIRE(bundle->channel_count <= COTENANT_MAX_CHANNELS, "channel_count: out of range", -1);
    return check_good();
}

static bool is_built_in(const char *name)
{
    FOR_EACH_IN_TABLE(features, feature)
    {
        uint32_t length = 0;

        while (length < COTENANT_FEATURE_NAME_SIZE - 1 && feature->name[length] != '\0' &&
               feature->name[length] == name[length]) {
            length++;
        }
        if (feature->name[length] == name[length]) {
            return true;
        }
    }
    return false;
}

/* The monitor is built with what the bundle needs. */
static struct check_result check_features(const struct bundle *bundle)
{
    for (uint32_t i = 0; i < COTENANT_MAX_FEATURES; i++) {
        const char *name = bundle->features[i];

        REQUIRE(name[COTENANT_FEATURE_NAME_SIZE - 1] == '\0', "features: not a name", -1);
        if (name[0] != '\0' && !is_built_in(name)) {
            return (struct check_result){name, CHECK_NO_FEATURE};
        }
    }
    return check_good();
}

static struct check_result check_console(const struct bundle *bundle)
{
    const struct bundle_console *console = &bundle->console;

    REQUIRE(console->mode <= COTENANT_CONSOLE_FRAMED, "console.mode: unknown", -1);
    REQUIRE(console->escape >= 1 && console->escape <= 31,
            "console.escape: not a control character", -1);
    REQUIRE(console->focus < bundle->tenant_count, "console.focus: no such tenant", -1);
    return check_good();
}

static struct check_result check_trace(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_trace *trace = &bundle->trace;
    uint64_t taken = monitor_size + bundle->total_size;

    if (trace->ring_size == 0) {
        return check_good();
    }
    REQUIRE(trace->ring_size >= COTENANT_TRACE_RING_LEAST &&
                trace->ring_size <= COTENANT_TRACE_RING_MOST &&
                check_aligned(trace->ring_size, CHECK_PAGE_SIZE),
            "trace.ring_size: out of range or not a multiple of 4096", -1);
    REQUIRE(check_aligned(trace->base, CHECK_PAGE_SIZE), "trace.base: not 4096-aligned", -1);
    REQUIRE(check_contains(board->monitor_base + taken, board->monitor_size - taken, trace->base,
                           trace->ring_size * board->hart_count),
            "trace.base: not in the monitor's place behind the images", -1);
    return check_good();
}

static struct check_result check_next_stage(const struct bundle *bundle)
{
    const struct bundle_next_stage *place = &bundle->next_stage;

    REQUIRE(place->size == 0 ||
                (place->store_offset >= sizeof(*bundle) &&
                 check_aligned(place->store_offset, CHECK_PAGE_SIZE) &&
                 check_aligned(place->size, CHECK_PAGE_SIZE) &&
                 check_contains(0, bundle->total_size, place->store_offset, place->size)),
            "next_stage: misaligned or outside of the bundle", -1);
    return check_good();
}

struct check_result check_bundle(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_header(bundle);

    if (result.problem == NULL) {
        result = check_features(bundle);
    }
    if (!FEATURE_CHECK) {
        return result;
    }
    if (result.problem == NULL) {
        result = check_board(bundle, monitor_size);
    }
    if (result.problem == NULL) {
        result = check_console(bundle);
    }
    if (result.problem == NULL) {
        result = check_trace(bundle, monitor_size);
    }
    if (result.problem == NULL) {
        result = check_next_stage(bundle);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->tenant_count; i++) {
        result = check_tenant(bundle, i);
    }
    if (result.problem == NULL) {
        result = check_channels(bundle);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->vhart_count; i++) {
        result = check_vhart(bundle, i);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->vhart_count; i++) {
        result = check_protection(bundle, i);
    }
    return result;
}

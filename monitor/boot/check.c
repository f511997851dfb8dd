/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/check.h"

#include "core/crc32.h"
#include "core/feature.h"

static struct check_result check_header(const struct bundle *bundle)
{
    static const uint8_t zero[sizeof(bundle->crc32)];
    const uint8_t *bytes = (const uint8_t *)bundle;
    size_t after = offsetof(struct bundle, crc32) + sizeof(bundle->crc32);
    uint32_t crc;

    REQUIRE(bundle->magic == COTENANT_BUNDLE_MAGIC, "magic: this is not a bundle", -1);
    REQUIRE(bundle->version == COTENANT_BUNDLE_VERSION && bundle->size == sizeof(*bundle),
            "version: made for another version of the monitor", -1);
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
            return (struct check_result){name, CHECK_NO_FEATURE, 0};
        }
    }
    return check_good();
}

struct check_result check_bundle(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_header(bundle);

    if (result.problem == NULL) {
        result = check_features(bundle);
    }
    return HAS(check) && result.problem == NULL ? check_fields(bundle, monitor_size) : result;
}

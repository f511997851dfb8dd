/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "features/virtio/type.h"

static bool overlaps_device(const struct bundle_tenant *tenant, const struct bundle_board *board,
                            uint64_t base, uint64_t size)
{
    for (unsigned device = 0; device < CHECK_DEVICES; device++) {
        struct bundle_range closed = check_device_range(board, (enum check_device)device);

        if (check_overlaps(base, size, closed.base, closed.size)) {
            return true;
        }
    }
    return (tenant->flags & COTENANT_TENANT_UART) != 0 &&
           check_overlaps(base, size, tenant->uart_base, CHECK_PAGE_SIZE);
}

/* Where the virtual devices of a tenant are. */
static struct check_result check_virtual(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    const struct bundle_board *board = &bundle->board;
    bool doorbells = (tenant->flags & COTENANT_TENANT_DOORBELLS) != 0;
    uint64_t size = ((uint64_t)tenant->device_count + doorbells) * COTENANT_VIRTUAL_DEVICE_SIZE;

    REQUIRE(tenant->device_count <= COTENANT_MAX_VIRTUAL_DEVICES &&
                check_contains(0, bundle->device_count, tenant->device_first, tenant->device_count),
            "tenant.device_count: out of range", index);
    REQUIRE(size == 0 ||
                (check_aligned(tenant->virtual_base, CHECK_PAGE_SIZE) &&
                 check_contains(0, CHECK_ADDRESS_LIMIT, tenant->virtual_base, size) &&
                 !check_overlaps(tenant->virtual_base, size, board->ram_base, board->ram_size) &&
                 !overlaps_device(tenant, board, tenant->virtual_base, size)),
            "tenant.virtual_base: misaligned, in the RAM or where another device is", index);
    for (uint32_t i = 0; i < tenant->device_count; i++) {
        REQUIRE(bundle->devices[tenant->device_first + i].tenant == index,
                "tenant.device_first: another tenant's", index);
    }
    return check_good();
}

static bool is_free_source(const struct bundle *bundle, const struct bundle_device *device)
{
    const struct bundle_tenant *tenant = &bundle->tenants[device->tenant];
    uint32_t source = device->source;

    if (source == 0 || source >= bundle->board.plic_sources ||
        (tenant->sources[source / 32] >> source % 32 & 1) != 0 ||
        ((tenant->flags & COTENANT_TENANT_UART) != 0 && source == tenant->uart_source)) {
        return false;
    }
    for (const struct bundle_device *other = bundle->devices; other < device; other++) {
        if (other->tenant == device->tenant && other->source == source) {
            return false;
        }
    }
    return true;
}

/* Also one that this monitor is built without is unknown. */
static bool is_known(uint32_t kind)
{
    FOR_EACH_IN_TABLE(virtio_types, type)
    {
        if ((*type)->kind == kind) {
            return true;
        }
    }
    return false;
}

static struct check_result check_device(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_device *device = &bundle->devices[index];
    const struct bundle_tenant *tenant;

    REQUIRE(device->tenant < bundle->tenant_count, "device.tenant: there is no such tenant", index);
    tenant = &bundle->tenants[device->tenant];
    REQUIRE(index - tenant->device_first < tenant->device_count,
            "device.tenant: the tenant does not have it", index);
    REQUIRE(is_known(device->kind), "device.kind: unknown", index);
    REQUIRE(tenant->plic_base != 0 && is_free_source(bundle, device),
            "device.source: none, or another device's", index);
    return check_good();
}

/* The ports of a console are numbered without a gap. */
static bool is_next_port(const struct bundle *bundle, uint32_t channel, uint32_t end)
{
    const struct bundle_end *wanted = &bundle->channels[channel].ends[end];
    uint32_t before = 0;

    for (uint32_t i = 0; i <= channel; i++) {
        uint32_t count = i == channel ? end : bundle->channels[i].end_count;

        for (uint32_t j = 0; j < count; j++) {
            before += bundle->channels[i].ends[j].device == wanted->device;
        }
    }
    return wanted->port == before && wanted->port < COTENANT_MAX_PORTS;
}

/* The kind of device that channels of a kind end in, the first end at least; 0: no such kind. */
static uint32_t device_kind(uint32_t kind)
{
    switch (kind) {
    case COTENANT_CHANNEL_SERVED:
    case COTENANT_CHANNEL_STREAM:
    case COTENANT_CHANNEL_CONTROL:
    case COTENANT_CHANNEL_MEMORY:
        return COTENANT_VIRTUAL_CONSOLE;
    case COTENANT_CHANNEL_NET:
        return COTENANT_VIRTUAL_NET;
    case COTENANT_CHANNEL_SOCKET:
        return COTENANT_VIRTUAL_SOCKET;
    default:
        return 0;
    }
}

/* How many ends a channel has; a tenant has one control channel at most. */
static struct check_result check_end_count(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_channel *channel = &bundle->channels[index];

    if (channel->kind != COTENANT_CHANNEL_CONTROL) {
        REQUIRE(channel->end_count == 2 ||
                    ((channel->kind == COTENANT_CHANNEL_NET ||
                      channel->kind == COTENANT_CHANNEL_SERVED) &&
                     channel->end_count > 2 && channel->end_count <= COTENANT_MAX_CHANNEL_ENDS),
                "channel.end_count: out of range", index);
        return check_good();
    }
    REQUIRE(channel->end_count == 1, "channel.end_count: a control channel has one end", index);
    for (uint32_t i = 0; i < index; i++) {
        REQUIRE(bundle->channels[i].kind != channel->kind ||
                    bundle->channels[i].ends[0].device != channel->ends[0].device,
                "channel.ends: the tenant has a control channel already", index);
    }
    return check_good();
}

/* Of no tenant but the two ends: apart from the monitor, the tenants and the other windows. */
static bool is_free_memory(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_board *board = &bundle->board;
    struct bundle_range window = bundle->channels[index].window;
    bool taken = check_overlaps(window.base, window.size, board->monitor_base, board->monitor_size);

    for (uint32_t i = 0; i < index; i++) {
        struct bundle_range other = bundle->channels[i].window;

        taken = taken || check_overlaps(window.base, window.size, other.base, other.size);
    }
    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        for (unsigned j = 0; j < COTENANT_MAX_MEMORY_RANGES; j++) {
            struct bundle_range range = bundle->tenants[i].memory[j];

            taken = taken || check_overlaps(window.base, window.size, range.base, range.size);
        }
    }
    return !taken;
}

static struct check_result check_window(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_channel *channel = &bundle->channels[index];
    const struct bundle_board *board = &bundle->board;
    struct bundle_range window = channel->window;

    REQUIRE((window.size != 0) == (channel->kind == COTENANT_CHANNEL_MEMORY),
            "channel.window: none, or of a channel without memory", index);
    REQUIRE(check_aligned(window.base | window.size, CHECK_PAGE_SIZE) &&
                (window.size == 0 ||
                 check_contains(board->ram_base, board->ram_size, window.base, window.size)),
            "channel.window: misaligned or outside of the board's RAM", index);
    REQUIRE(is_free_memory(bundle, index), "channel.window: overlaps other memory", index);
    return check_good();
}

/* An end may be in a device of kind `present`; the channel's kind asks for `kind`. */
static bool suits(const struct bundle_channel *channel, uint32_t end, uint32_t present,
                  uint32_t kind)
{
    return channel->kind == COTENANT_CHANNEL_SERVED && end > 0
               ? (present & COTENANT_VIRTUAL_SERVED) != 0
               : present == kind;
}

static struct check_result check_channel(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_channel *channel = &bundle->channels[index];
    uint32_t kind = device_kind(channel->kind);
    struct check_result result;

    REQUIRE(check_is_name(channel->name), "channel.name: empty, not terminated or not printable",
            index);
    REQUIRE(kind != 0, "channel.kind: unknown", index);
    result = check_end_count(bundle, index);
    if (result.problem == NULL) {
        result = check_window(bundle, index);
    }
    for (uint32_t i = 0; result.problem == NULL && i < channel->end_count; i++) {
        const struct bundle_end *end = &channel->ends[i];

        REQUIRE(end->device < bundle->device_count &&
                    suits(channel, i, bundle->devices[end->device].kind, kind),
                "channel.ends.device: not of that kind", index);
        REQUIRE(is_next_port(bundle, index, i), "channel.ends.port: not the next one", index);
        REQUIRE(kind == COTENANT_VIRTUAL_CONSOLE || end->port == 0,
                "channel.ends.device: a device of another channel", index);
    }
    return result;
}

/* The virtual devices, and the channels that join them. */
static struct check_result check_channels(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_good();

    (void)monitor_size;
    for (uint32_t i = 0; result.problem == NULL && i < bundle->device_count; i++) {
        result = check_device(bundle, i);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->channel_count; i++) {
        result = check_channel(bundle, i);
    }
    return result;
}

BUNDLE_CHECK_EACH(CHECK_ADDED, check_virtual);
BUNDLE_CHECK(CHECK_CONNECTIONS, check_channels);

static bool is_end(const struct bundle *bundle, const struct bundle_channel *channel,
                   uint32_t tenant)
{
    for (uint32_t i = 0; i < channel->end_count; i++) {
        if (bundle->devices[channel->ends[i].device].tenant == tenant) {
            return true;
        }
    }
    return false;
}

/* Of the windows that the tenant shares. */
static uint64_t end_of_window(const struct bundle *bundle, uint32_t tenant, uint64_t address)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        if (is_end(bundle, &bundle->channels[i], tenant)) {
            address = check_end_within(bundle->channels[i].window, address);
        }
    }
    return address;
}

OPENED_MEMORY(end_of_window);

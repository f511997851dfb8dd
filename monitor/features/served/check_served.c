/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/served.h"
#include "core/bundle_check.h"

static uint32_t server_of(const struct bundle *bundle, const struct bundle_channel *channel)
{
    return bundle->devices[channel->ends[0].device].tenant;
}

static uint32_t client_of(const struct bundle *bundle, const struct bundle_channel *channel)
{
    return bundle->devices[channel->ends[1].device].tenant;
}

static bool is_served(const struct bundle_channel *channel)
{
    return channel->kind == COTENANT_CHANNEL_SERVED;
}

/* The devices are one tenant's, which is not the server, and no other channel's. */
static struct check_result check_ends(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_channel *channel = &bundle->channels[index];
    uint32_t client = client_of(bundle, channel);

    REQUIRE(client != server_of(bundle, channel), "channel.ends: a tenant that serves itself",
            index);
    /* Its server would work for it while it is dormant, and wake it. */
    REQUIRE(bundle->tenants[client].group == COTENANT_NONE,
            "channel.ends: a device of a member of a group", index);
    for (uint32_t i = 1; i < channel->end_count; i++) {
        REQUIRE(bundle->devices[channel->ends[i].device].tenant == client,
                "channel.ends: devices of several tenants", index);
        for (uint32_t j = 1; j < i; j++) {
            REQUIRE(channel->ends[i].device != channel->ends[j].device,
                    "channel.ends: a device twice", index);
        }
    }
    for (uint32_t i = 0; i < index; i++) {
        REQUIRE(!is_served(&bundle->channels[i]) ||
                    client_of(bundle, &bundle->channels[i]) != client,
                "channel.ends: the tenant has a server already", index);
    }
    return check_good();
}

/* The pages of registers of a tenant's clients are behind its page of doorbells. */
static struct check_result check_registers(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *server = &bundle->tenants[index];
    uint64_t base =
        server->virtual_base + (server->device_count + 1ul) * COTENANT_VIRTUAL_DEVICE_SIZE;
    uint64_t size = 0;

    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        if (is_served(channel) && server_of(bundle, channel) == index) {
            size += (channel->end_count - 1ul) * COTENANT_SERVED_PAGE;
        }
    }
    REQUIRE(check_contains(0, CHECK_ADDRESS_LIMIT, base, size) &&
                !check_overlaps(base, size, bundle->board.ram_base, bundle->board.ram_size),
            "tenant.virtual_base: no room for the devices that it serves", index);
    for (unsigned device = 0; device < CHECK_DEVICES; device++) {
        struct bundle_range closed = check_device_range(&bundle->board, (enum check_device)device);

        REQUIRE(!check_overlaps(base, size, closed.base, closed.size),
                "tenant.virtual_base: no room for the devices that it serves", index);
    }
    return check_good();
}

/* Each served device is an end of one channel: its server is known. */
static struct check_result check_device(const struct bundle *bundle, uint32_t index)
{
    bool found = (bundle->devices[index].kind & COTENANT_VIRTUAL_SERVED) == 0;

    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        for (uint32_t end = 1; is_served(channel) && end < channel->end_count; end++) {
            found |= channel->ends[end].device == index;
        }
    }
    REQUIRE(found, "device.kind: served by no tenant", index);
    return check_good();
}

static struct check_result check_served(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_good();

    (void)monitor_size;
    for (uint32_t i = 0; result.problem == NULL && i < bundle->channel_count; i++) {
        result = is_served(&bundle->channels[i]) ? check_ends(bundle, i) : check_good();
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->tenant_count; i++) {
        result = check_registers(bundle, i);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->device_count; i++) {
        result = check_device(bundle, i);
    }
    return result;
}

/* Behind the check of channels in general, whose phase comes before. */
BUNDLE_CHECK(CHECK_SERVED, check_served);

/* A server may touch the memory of its clients. */
static uint64_t end_of_client(const struct bundle *bundle, uint32_t tenant, uint64_t address)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        if (!is_served(channel) || server_of(bundle, channel) != tenant) {
            continue;
        }
        for (uint32_t j = 0; j < COTENANT_MAX_MEMORY_RANGES; j++) {
            const struct bundle_tenant *client = &bundle->tenants[client_of(bundle, channel)];

            address = check_end_within(client->memory[j], address);
        }
    }
    return address;
}

OPENED_MEMORY(end_of_client);

/* SPDX-License-Identifier: BSD-2-Clause */
#include "sequence_flows.h"

#include <string.h>

#include "core/tenant.h"
#include "sequence_statistics.h"

#define MAGIC 0x5e9e3ce5f10a7ull
#define LEAST_MESSAGE ((uint32_t)sizeof(struct message))
#define MOST_MESSAGE 300
#define MOST_FLOWS 32
#define NET_HEADER 12
#define MAC_SIZE 6
#define FIRST_CID 3
#define SOCKET_RECEIVE 0

struct message {
    uint64_t magic;
    uint32_t sender; /* index of the driver, and port */
    uint32_t number; /* 1.. */
    uint32_t length; /* with this header */
};

/* Section 5.10.6. */
struct packet {
    uint64_t source_cid;
    uint64_t destination_cid;
    uint32_t ports[2];
    uint32_t length;
    uint16_t kind;
    uint16_t operation;
    uint32_t rest[3];
} __attribute__((packed));

struct flow {
    struct driver *from;
    uint32_t from_port;
    struct driver *to;
    uint32_t to_port;
    uint32_t last;          /* number of the last message that came */
    uint32_t may_lose;      /* messages up to this one need not come */
    struct message message; /* the one of which `have` bytes have come */
    uint32_t have;
};

static struct flow flows[MOST_FLOWS];
static uint32_t flow_count;

static void add_flow(const struct bundle_end *from, const struct bundle_end *to)
{
    flows[flow_count++] = (struct flow){.from = &drivers[from->device],
                                        .from_port = from->port,
                                        .to = &drivers[to->device],
                                        .to_port = to->port};
}

void flows_reset(void)
{
    flow_count = 0;
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        for (uint32_t pair = 0; pair < channel->end_count * channel->end_count; pair++) {
            uint32_t from = pair / channel->end_count;
            uint32_t to = pair % channel->end_count;

            if (from != to && channel->kind != COTENANT_CHANNEL_MEMORY) {
                add_flow(&channel->ends[from], &channel->ends[to]);
            }
        }
    }
}

static struct flow *find_flow(const struct driver *from, uint32_t port, const struct driver *to)
{
    for (uint32_t i = 0; i < flow_count; i++) {
        if (flows[i].from == from && flows[i].from_port == port &&
            (to == NULL || flows[i].to == to)) {
            return &flows[i];
        }
    }
    return NULL;
}

struct driver *flow_target(const struct driver *driver, uint32_t port, uint8_t which)
{
    struct driver *targets[TENANTS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < flow_count; i++) {
        if (flows[i].from == driver && flows[i].from_port == port) {
            targets[count++] = flows[i].to;
        }
    }
    return count == 0 ? NULL : targets[which % count];
}

uint32_t flow_port(const struct driver *to, const struct driver *from, uint32_t port)
{
    return find_flow(from, port, to)->to_port;
}

static uint8_t pattern(uint32_t sender, uint32_t number, uint32_t position)
{
    return (uint8_t)(31 * sender + 7 * number + position);
}

static uint32_t make_net_header(const struct driver *driver, const struct driver *to,
                                uint8_t *bytes, uint8_t shape)
{
    uint8_t addresses[2 * MAC_SIZE + 2] = {
        2, 0, 0, 0, (uint8_t)driver->kind, (uint8_t)to->tenant,
        2, 0, 0, 0, (uint8_t)driver->kind, (uint8_t)driver->tenant};

    if (shape % 8 == 1) {
        memset(addresses, 0xff, MAC_SIZE); /* to all */
    }
    memset(bytes, shape, NET_HEADER); /* which nobody else gets to see */
    memcpy(bytes + NET_HEADER, addresses, sizeof(addresses));
    return NET_HEADER + sizeof(addresses);
}

static uint32_t make_packet_header(const struct driver *driver, uint8_t *bytes, uint32_t length)
{
    struct packet packet = {.source_cid = FIRST_CID + driver->tenant,
                            .destination_cid = FIRST_CID + 1 - driver->tenant,
                            .ports = {driver->sent[0], 1},
                            .length = length,
                            .kind = 1,
                            .operation = 5};

    memcpy(bytes, &packet, sizeof(packet));
    return sizeof(packet);
}

uint32_t flow_make(struct driver *driver, uint32_t port, const struct driver *to, uint8_t *bytes,
                   uint32_t length, uint8_t shape)
{
    uint32_t size = length < LEAST_MESSAGE ? LEAST_MESSAGE : length;
    struct message message = {MAGIC, driver->index << 8 | port, ++driver->sent[port], size};
    uint32_t header = 0;

    if (shape % 16 == 3) {
        message.length = size = MOST_MESSAGE;
    }
    if (driver->kind == KIND_CABLE || driver->kind == KIND_SWITCH) {
        header = make_net_header(driver, to, bytes, shape);
    } else if (driver->kind == KIND_SOCKET) {
        header = make_packet_header(driver, bytes, size);
    }
    memcpy(bytes + header, &message, sizeof(message));
    for (uint32_t i = sizeof(message); i < size; i++) {
        bytes[header + i] = pattern(message.sender, message.number, i);
    }
    return header + size;
}

void flow_may_lose(const struct driver *driver, uint32_t port)
{
    for (uint32_t i = 0; i < flow_count; i++) {
        if (flows[i].from == driver && flows[i].from_port == port) {
            flows[i].may_lose = driver->sent[port];
        }
    }
}

void flows_break(const struct driver *driver, uint32_t port)
{
    for (uint32_t i = 0; i < flow_count; i++) {
        struct flow *flow = &flows[i];

        if ((flow->from == driver && flow->from_port == port) ||
            (flow->to == driver && flow->to_port == port)) {
            flow->may_lose = flow->from->sent[flow->from_port];
        }
    }
}

static struct flow *flow_of_sender(const struct driver *driver, uint32_t port, uint32_t sender)
{
    for (uint32_t i = 0; i < flow_count; i++) {
        if (flows[i].to == driver && flows[i].to_port == port &&
            (flows[i].from->index << 8 | flows[i].from_port) == sender) {
            return &flows[i];
        }
    }
    return NULL;
}

static struct flow *unfinished_flow(const struct driver *driver, uint32_t port)
{
    for (uint32_t i = 0; i < flow_count; i++) {
        if (flows[i].to == driver && flows[i].to_port == port && flows[i].have != 0) {
            return &flows[i];
        }
    }
    return NULL;
}

bool flows_have_hostile(const struct driver *driver, uint32_t port)
{
    for (uint32_t i = 0; i < flow_count; i++) {
        if (flows[i].from == driver && flows[i].from_port == port && !is_honest(flows[i].to)) {
            return true;
        }
    }
    return false;
}

/* A message begins: none before it is missing that must not be. */
static struct flow *begin_message(struct driver *driver, uint32_t port, const uint8_t *bytes)
{
    struct message message;
    struct flow *flow;

    memcpy(&message, bytes, sizeof(message));
    flow = flow_of_sender(driver, port, message.sender);
    REQUIRE_THAT(flow != NULL && is_honest(flow->from), driver);
    REQUIRE_THAT(flow->have == 0 || flow->message.number <= flow->may_lose, driver);
    REQUIRE_THAT(message.number > flow->last && message.number <= flow->from->sent[flow->from_port],
                 driver);
    REQUIRE_THAT(message.number == flow->last + 1 || message.number - 1 <= flow->may_lose, driver);
    REQUIRE_THAT(message.length >= LEAST_MESSAGE && message.length <= MOST_MESSAGE, driver);
    flow->message = message;
    flow->have = 0;
    flow->last = message.number;
    return flow;
}

void flows_receive(struct driver *driver, uint32_t port, const uint8_t *bytes, uint32_t length,
                   bool whole)
{
    bool begins = length >= LEAST_MESSAGE && memcmp(bytes, &(uint64_t){MAGIC}, 8) == 0;
    struct flow *flow = begins ? begin_message(driver, port, bytes) : unfinished_flow(driver, port);

    if (flow == NULL) { /* nothing that an honest end has sent, or the end of what was lost */
        REQUIRE_THAT(flows_have_hostile(driver, port), driver);
        return;
    }
    REQUIRE_THAT(flow->have + length <= flow->message.length, driver);
    for (uint32_t i = begins ? LEAST_MESSAGE : 0; i < length; i++) {
        REQUIRE_THAT(bytes[i] ==
                         pattern(flow->message.sender, flow->message.number, flow->have + i),
                     driver);
    }
    flow->have += length;
    REQUIRE_THAT(!whole || flow->have == flow->message.length, driver);
    if (flow->have == flow->message.length) {
        flow->have = 0;
        statistics_message();
    }
}

void flows_receive_packet(struct driver *driver, uint32_t queue, const uint8_t *bytes,
                          uint32_t length)
{
    struct packet packet;

    if (queue != SOCKET_RECEIVE) {
        REQUIRE_THAT(length == 4 && memcmp(bytes, &(uint32_t){0}, 4) == 0, driver);
        return;
    }
    REQUIRE_THAT(length >= sizeof(packet), driver);
    memcpy(&packet, bytes, sizeof(packet));
    REQUIRE_THAT(packet.source_cid == FIRST_CID + 1 - driver->tenant &&
                     packet.destination_cid == FIRST_CID + driver->tenant,
                 driver);
    REQUIRE_THAT(packet.length == length - sizeof(packet), driver);
    if (!flows_have_hostile(driver, 0)) {
        flows_receive(driver, 0, bytes + sizeof(packet), packet.length, false);
    }
}

bool flow_has_last(const struct driver *driver, uint32_t port, const struct driver *to)
{
    const struct flow *flow = find_flow(driver, port, to);

    return flow->last == driver->sent[port] && flow->have == 0;
}

void flows_check(void)
{
    for (uint32_t i = 0; i < flow_count; i++) {
        const struct flow *flow = &flows[i];
        uint32_t sent = flow->from->sent[flow->from_port];

        if (is_honest(flow->from) && is_honest(flow->to)) {
            REQUIRE_THAT((flow->last == sent && flow->have == 0) || sent <= flow->may_lose,
                         flow->to);
        }
    }
}

struct driver *bell_peer(const struct driver *driver, uint32_t port)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        for (uint32_t end = 0; channel->kind == COTENANT_CHANNEL_MEMORY && end < 2; end++) {
            if (channel->ends[end].device == driver->index && channel->ends[end].port == port) {
                return &drivers[channel->ends[1 - end].device];
            }
        }
    }
    return NULL;
}

uint32_t bell_port(const struct driver *driver)
{
    for (uint32_t port = 0; port < PORTS; port++) {
        if (bell_peer(driver, port) != NULL) {
            return port;
        }
    }
    return 0;
}

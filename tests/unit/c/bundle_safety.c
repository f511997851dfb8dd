/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_safety.h"

#include <stdbool.h>
#include <string.h>

/* Wide enough that no sum of two 64-bit numbers wraps. */
typedef unsigned __int128 wide;

#define DANGER_IF(condition)                                                                       \
    do {                                                                                           \
        if (condition) {                                                                           \
            return #condition;                                                                     \
        }                                                                                          \
    } while (0)

static bool inside(wide base, wide size, wide outer, wide outer_size)
{
    return base >= outer && base + size <= outer + outer_size;
}

static bool apart(wide a, wide a_size, wide b, wide b_size)
{
    return a + a_size <= b || b + b_size <= a || a_size == 0 || b_size == 0;
}

static bool owns_byte(const struct bundle_tenant *tenant, wide address)
{
    for (int i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        if (inside(address, 1, tenant->memory[i].base, tenant->memory[i].size)) {
            return true;
        }
    }
    return false;
}

static bool owns(const struct bundle_tenant *tenant, wide base, wide size)
{
    for (int i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        if (inside(base, size, tenant->memory[i].base, tenant->memory[i].size)) {
            return true;
        }
    }
    return false;
}

static const char *board_danger(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;
    const uint32_t features = COTENANT_BOARD_SSTC | COTENANT_BOARD_ENVCFG;

    DANGER_IF(bundle->tenant_count - 1 >= COTENANT_MAX_TENANTS);
    DANGER_IF(bundle->vhart_count - 1 >= COTENANT_MAX_VHARTS);
    DANGER_IF(bundle->console.focus >= bundle->tenant_count);
    DANGER_IF(!inside(board->monitor_base, board->monitor_size, board->ram_base, board->ram_size));
    DANGER_IF((wide)monitor_size + bundle->total_size > board->monitor_size);
    DANGER_IF(bundle->total_size < sizeof(*bundle));
    DANGER_IF(bundle->next_stage.size != 0 &&
              !inside(bundle->next_stage.store_offset, bundle->next_stage.size, sizeof(*bundle),
                      (wide)bundle->total_size - sizeof(*bundle)));
    DANGER_IF(bundle->handed_tree.size != 0 &&
              (!inside(bundle->handed_tree.store_offset, bundle->handed_tree.size, sizeof(*bundle),
                       (wide)bundle->total_size - sizeof(*bundle)) ||
               !inside(bundle->handed_tree.plan_offset, bundle->handed_tree.plan_size,
                       sizeof(*bundle), (wide)bundle->total_size - sizeof(*bundle))));
    DANGER_IF(bundle->trace.ring_size != 0 &&
              !inside(bundle->trace.base, (wide)bundle->trace.ring_size * board->hart_count,
                      board->monitor_base + monitor_size + bundle->total_size,
                      board->monitor_size - monitor_size - bundle->total_size));
    DANGER_IF(bundle->trace.ring_size != 0 &&
              !inside(bundle->trace.base, (wide)bundle->trace.ring_size * board->hart_count,
                      (wide)board->monitor_base + monitor_size + bundle->total_size,
                      (wide)board->monitor_size - monitor_size - bundle->total_size));
    DANGER_IF(board->hart_count - 1 >= COTENANT_MAX_HARTS);
    DANGER_IF(board->boot_hart >= board->hart_count);
    DANGER_IF(board->harts[board->boot_hart].plic_m_context == COTENANT_NONE);
    DANGER_IF(board->plic_sources > COTENANT_MAX_SOURCES);
    DANGER_IF(board->uart_source != 0 && board->uart_source >= board->plic_sources);
    DANGER_IF((board->flags & features) == COTENANT_BOARD_SSTC);
    DANGER_IF(board->pmp_entries - 1 >= COTENANT_PMP_ENTRIES);
    DANGER_IF(board->timebase_hz == 0);
    return NULL;
}

/* Registers that the monitor writes must be registers, and different ones for different harts. */
static const char *hart_danger(const struct bundle_board *board)
{
    for (uint32_t i = 0; i < board->hart_count; i++) {
        const struct bundle_hart *hart = &board->harts[i];
        wide timer = (wide)board->mtimecmp_base + 8 * hart->id;

        DANGER_IF(!apart(timer, 8, board->ram_base, board->ram_size));
        DANGER_IF(hart->plic_m_context != COTENANT_NONE && hart->plic_m_context > 15871);
        DANGER_IF(hart->plic_s_context != COTENANT_NONE && hart->plic_s_context > 15871);
        for (uint32_t j = 0; j < i; j++) {
            DANGER_IF(hart->id == board->harts[j].id);
        }
    }
    DANGER_IF(!apart(board->mtime_address, 8, board->ram_base, board->ram_size));
    DANGER_IF(!apart(board->plic_base, 0x4000000, board->ram_base, board->ram_size));
    DANGER_IF(board->uart_kind != COTENANT_UART_NONE &&
              !apart(board->uart_base, 8, board->ram_base, board->ram_size));
    DANGER_IF(board->reset_kind != COTENANT_RESET_NONE &&
              !apart(board->reset_base, 4, board->ram_base, board->ram_size));
    return NULL;
}

static const char *memory_danger(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_board *board = &bundle->board;

    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        struct bundle_range range = bundle->tenants[index].memory[i];

        DANGER_IF(range.size != 0 &&
                  !inside(range.base, range.size, board->ram_base, board->ram_size));
        DANGER_IF(!apart(range.base, range.size, board->monitor_base, board->monitor_size));
        for (uint32_t other = 0; other < bundle->tenant_count; other++) {
            for (uint32_t j = 0; other != index && j < COTENANT_MAX_MEMORY_RANGES; j++) {
                struct bundle_range theirs = bundle->tenants[other].memory[j];

                DANGER_IF(!apart(range.base, range.size, theirs.base, theirs.size));
            }
        }
    }
    return NULL;
}

static const char *tenant_danger(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    DANGER_IF(memchr(tenant->name, 0, sizeof(tenant->name)) == NULL);
    for (const char *c = tenant->name; *c != '\0'; c++) {
        DANGER_IF(*c <= ' ' || *c > '~');
    }
    DANGER_IF(tenant->vhart_count == 0);
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        uint64_t number = (uint64_t)tenant->vhart_first + i;

        DANGER_IF(number >= bundle->vhart_count);
        DANGER_IF(bundle->vharts[number].tenant != index);
        DANGER_IF(bundle->vharts[number].id != i);
    }
    DANGER_IF(!owns(tenant, tenant->entry, 2));
    DANGER_IF(tenant->devicetree != 0 && !owns(tenant, tenant->devicetree, 8));
    for (int i = 0; i < COTENANT_MAX_IMAGE_PARTS; i++) {
        const struct bundle_part *part = &tenant->parts[i];

        DANGER_IF(part->file_size > part->memory_size);
        DANGER_IF(part->memory_size != 0 && !owns(tenant, part->destination, part->memory_size));
        DANGER_IF(part->file_size != 0 &&
                  !inside(part->store_offset, part->file_size, sizeof(*bundle),
                          bundle->total_size - sizeof(*bundle)));
    }
    return memory_danger(bundle, index);
}

/* One of the two may do so only while the other one has no hart. */
static bool take_turns(const struct bundle_tenant *a, const struct bundle_tenant *b)
{
    return a->group == b->group && a->group < COTENANT_MAX_TENANTS;
}

static const char *source_danger(const struct bundle *bundle)
{
    for (uint32_t source = 0; source < COTENANT_MAX_SOURCES; source++) {
        int owners =
            bundle->board.uart_kind != COTENANT_UART_NONE && source == bundle->board.uart_source;

        for (uint32_t i = 0; i < bundle->tenant_count; i++) {
            int owns_it = bundle->tenants[i].sources[source / 32] >> source % 32 & 1;

            for (uint32_t j = 0; owns_it && j < i; j++) {
                owns_it = !take_turns(&bundle->tenants[i], &bundle->tenants[j]) ||
                          (bundle->tenants[j].sources[source / 32] >> source % 32 & 1) == 0;
            }
            owners += owns_it;
        }
        DANGER_IF(owners > 1);
        DANGER_IF(owners != 0 && (source == 0 || source >= bundle->board.plic_sources));
    }
    return NULL;
}

static bool passed_through(const struct bundle_vhart *vhart)
{
    return (vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) != 0;
}

/* Bus masters: each register is one of the unit's, and who has one has it alone. */
static const char *master_danger(const struct bundle *bundle)
{
    const struct bundle_board *board = &bundle->board;

    if (board->bus_kind == COTENANT_BUS_NONE) {
        DANGER_IF(board->master_count != 0);
        return NULL;
    }
    DANGER_IF(board->bus_base == 0 || board->bus_base % 4096 != 0);
    DANGER_IF(!apart(board->bus_base, 4096, board->ram_base, board->ram_size));
    DANGER_IF((wide)board->ram_base + board->ram_size > (wide)1 << 38);
    DANGER_IF(board->master_count != 10);
    for (uint32_t i = 0; i < board->master_count; i++) {
        const struct bundle_master *master = &board->masters[i];

        DANGER_IF(master->number >= 10 || master->entries > 16);
        DANGER_IF(master->tenants >= 1ul << bundle->tenant_count);
        for (uint32_t j = 0; j < i; j++) {
            DANGER_IF(master->number == board->masters[j].number);
        }
        for (uint32_t a = 0; a < bundle->tenant_count; a++) {
            for (uint32_t b = 0; b < a; b++) {
                DANGER_IF((master->tenants >> a & 1) != 0 && (master->tenants >> b & 1) != 0 &&
                          !take_turns(&bundle->tenants[a], &bundle->tenants[b]));
            }
        }
    }
    return NULL;
}

static const char *vhart_danger(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    uint64_t hz = bundle->board.timebase_hz;
    uint32_t beside = 0;

    DANGER_IF(vhart->tenant >= bundle->tenant_count);
    DANGER_IF(index - bundle->tenants[vhart->tenant].vhart_first >=
              bundle->tenants[vhart->tenant].vhart_count);
    DANGER_IF(vhart->hart >= bundle->board.hart_count);
    DANGER_IF(bundle->board.hart_count > 1 && bundle->board.msip_base == 0);
    DANGER_IF(vhart->slice_us * hz / 1000000 == 0);
    DANGER_IF(vhart->budget_us != 0 && vhart->budget_us * hz / 1000000 == 0);
    DANGER_IF(vhart->budget_us != 0 && vhart->period_us <= vhart->budget_us);
    DANGER_IF(vhart->plic_claim_entry != COTENANT_NONE &&
              vhart->plic_claim_entry >= COTENANT_PMP_ENTRIES);
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        beside += bundle->vharts[i].hart == vhart->hart;
        DANGER_IF(i != index && bundle->vharts[i].hart == vhart->hart && passed_through(vhart) &&
                  passed_through(&bundle->vharts[i]) &&
                  !take_turns(&bundle->tenants[vhart->tenant],
                              &bundle->tenants[bundle->vharts[i].tenant]));
        DANGER_IF(i != index && bundle->vharts[i].hart == vhart->hart &&
                  bundle->vharts[i].tenant == vhart->tenant);
        DANGER_IF(bundle->vharts[i].tenant == vhart->tenant &&
                  passed_through(&bundle->vharts[i]) != passed_through(vhart));
    }
    DANGER_IF(beside > COTENANT_MAX_VHARTS_PER_HART);
    return NULL;
}

/* Whether an entry matches the byte, privileged ISA 3.7.1, by comparing address bits. */
static bool matches(const struct bundle_vhart *vhart, int entry, uint64_t byte)
{
    uint64_t address = vhart->pmp_address[entry];
    uint64_t word = byte >> 2;
    uint64_t ignored = address ^ (address + 1);

    switch (vhart->pmp_config[entry] >> 3 & 3) {
    case 1:
        return word < address && (entry == 0 || word >= vhart->pmp_address[entry - 1]);
    case 2:
        return word == address;
    case 3:
        return (word & ~ignored) == (address & ~ignored);
    default:
        return false;
    }
}

/* The entry that decides about a byte, or -1. */
static int deciding(const struct bundle_vhart *vhart, uint64_t byte)
{
    for (int entry = 0; entry < COTENANT_PMP_ENTRIES; entry++) {
        if (matches(vhart, entry, byte)) {
            return entry;
        }
    }
    return -1;
}

static unsigned rights_at(const struct bundle_vhart *vhart, uint64_t byte)
{
    int entry = deciding(vhart, byte);

    return entry < 0 ? 0 : vhart->pmp_config[entry] & 7u;
}

static bool is_timer_or_device(const struct bundle_board *board, uint64_t byte)
{
    return inside(byte, 1, board->mtime_address, 8) ||
           inside(byte, 1, board->mtimecmp_base, 8 * COTENANT_MAX_HARTS) ||
           (board->msip_base != 0 && inside(byte, 1, board->msip_base, 4 * COTENANT_MAX_HARTS)) ||
           (board->uart_kind != COTENANT_UART_NONE &&
            inside(byte, 1, board->uart_base, 8ul << board->uart_register_shift)) ||
           (board->bus_kind != COTENANT_BUS_NONE && inside(byte, 1, board->bus_base, 4096)) ||
           (board->reset_kind != COTENANT_RESET_NONE && inside(byte, 1, board->reset_base, 4));
}

static bool plic_byte_is_safe(const struct bundle *bundle, const struct bundle_vhart *vhart,
                              uint64_t byte)
{
    uint64_t context = bundle->board.harts[vhart->hart].plic_s_context;
    uint64_t offset = byte - bundle->board.plic_base;
    unsigned rights = rights_at(vhart, byte);

    if (!passed_through(vhart)) {
        return false;
    }
    if (inside(offset, 1, 0x2000 + 0x80 * context, 0x80)) {
        return rights == 1;
    }
    return inside(offset, 1, 0x200004 + 0x1000 * context, 4) && (rights & 4) == 0 &&
           ((rights & 2) == 0 || (bundle->board.flags & COTENANT_BOARD_PLIC_CHECKED) != 0) &&
           deciding(vhart, byte) == (int)vhart->plic_claim_entry;
}

/* It is a client's whose server is one of the tenants; the other one is either of the two. */
static bool is_served_byte(const struct bundle *bundle, uint32_t tenant, uint32_t other, wide byte)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];
        uint32_t server = bundle->devices[channel->ends[0].device].tenant;
        uint32_t client = bundle->devices[channel->ends[1].device].tenant;

        if (channel->kind == COTENANT_CHANNEL_SERVED && (tenant == server || other == server) &&
            (tenant == server || tenant == client) && (other == server || other == client) &&
            owns_byte(&bundle->tenants[client], byte)) {
            return true;
        }
    }
    return false;
}

/*
 * It is in the window of a channel that ends at both tenants, which may be the same, or one serves
 * the other.
 */
static bool shares_byte(const struct bundle *bundle, uint32_t tenant, uint32_t other, wide byte)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];
        bool ends[2] = {false, false};

        for (uint32_t end = 0; end < channel->end_count; end++) {
            ends[0] |= bundle->devices[channel->ends[end].device].tenant == tenant;
            ends[1] |= bundle->devices[channel->ends[end].device].tenant == other;
        }
        if (ends[0] && ends[1] && inside(byte, 1, channel->window.base, channel->window.size)) {
            return true;
        }
    }
    return is_served_byte(bundle, tenant, other, byte);
}

/* Through the registers of a virtio device all memory is in reach. */
static bool is_guarded_byte(const struct bundle *bundle, uint32_t index, uint64_t byte)
{
    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        const struct bundle_tenant *tenant = &bundle->tenants[i];

        for (int j = 0; j < COTENANT_MAX_RESETS; j++) {
            if (tenant->resets[j].kind == COTENANT_DEVICE_RESET_VIRTIO_MMIO &&
                (tenant->flags & COTENANT_TENANT_TRUSTED) == 0 &&
                (i == index || !take_turns(tenant, &bundle->tenants[index])) &&
                inside(byte, 1, tenant->resets[j].base, 4096)) {
                return true;
            }
        }
    }
    return false;
}

static const char *byte_danger(const struct bundle *bundle, uint32_t index, uint64_t byte)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_vhart *vhart = &bundle->vharts[index];

    if (rights_at(vhart, byte) == 0) {
        return NULL;
    }
    if (inside(byte, 1, board->ram_base, board->ram_size)) {
        DANGER_IF(!owns_byte(&bundle->tenants[vhart->tenant], byte) &&
                  !shares_byte(bundle, vhart->tenant, vhart->tenant, byte));
    }
    DANGER_IF(is_timer_or_device(board, byte));
    DANGER_IF(is_guarded_byte(bundle, vhart->tenant, byte));
    DANGER_IF(inside(byte, 1, board->plic_base, 0x4000000) &&
              !plic_byte_is_safe(bundle, vhart, byte));
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        DANGER_IF(bundle->vharts[i].tenant != vhart->tenant &&
                  !take_turns(&bundle->tenants[bundle->vharts[i].tenant],
                              &bundle->tenants[vhart->tenant]) &&
                  !shares_byte(bundle, vhart->tenant, bundle->vharts[i].tenant, byte) &&
                  rights_at(&bundle->vharts[i], byte) != 0);
    }
    return NULL;
}

/* Rights change at edges only, so the bytes at both sides of every edge stand for all others. */
static const char *edge_danger(const struct bundle *bundle, uint32_t index, uint64_t edge)
{
    const char *danger = byte_danger(bundle, index, edge & ((1ul << 56) - 1));

    return danger != NULL ? danger : byte_danger(bundle, index, (edge - 1) & ((1ul << 56) - 1));
}

static const char *range_danger(const struct bundle *bundle, uint32_t index, uint64_t base,
                                uint64_t size)
{
    const char *danger = edge_danger(bundle, index, base);

    return danger != NULL ? danger : edge_danger(bundle, index, base + size);
}

static const char *entry_danger(const struct bundle *bundle, uint32_t index,
                                const struct bundle_vhart *from, int entry)
{
    uint64_t address = from->pmp_address[entry];
    uint64_t ignored = address ^ (address + 1);
    const char *danger = range_danger(bundle, index, address << 2, 4);

    return danger != NULL
               ? danger
               : range_danger(bundle, index, (address & ~ignored) << 2, (ignored + 1) << 2);
}

static const char *protection_danger(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_board *board = &bundle->board;
    uint64_t context = board->harts[bundle->vharts[index].hart].plic_s_context;
    const struct bundle_range places[] = {
        {board->ram_base, board->ram_size},
        {board->monitor_base, board->monitor_size},
        {board->mtime_address, 8},
        {board->mtimecmp_base, 8 * COTENANT_MAX_HARTS},
        {board->msip_base, 4 * COTENANT_MAX_HARTS},
        {board->uart_base, 8ul << board->uart_register_shift},
        {board->reset_base, 4},
        {board->bus_base, 4096},
        {board->plic_base, 0x4000000},
        {board->plic_base + 0x2000 + 0x80 * context, 0x80},
        {board->plic_base + 0x200004 + 0x1000 * context, 4},
    };
    const char *danger = NULL;

    for (size_t i = 0; danger == NULL && i < sizeof(places) / sizeof(places[0]); i++) {
        danger = range_danger(bundle, index, places[i].base, places[i].size);
    }
    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        for (int j = 0; danger == NULL && j < COTENANT_MAX_MEMORY_RANGES; j++) {
            danger = range_danger(bundle, index, bundle->tenants[i].memory[j].base,
                                  bundle->tenants[i].memory[j].size);
        }
    }
    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        for (int j = 0; danger == NULL && j < COTENANT_MAX_RESETS; j++) {
            danger = range_danger(bundle, index, bundle->tenants[i].resets[j].base, 4096);
        }
    }
    for (uint32_t i = 0; danger == NULL && i < bundle->channel_count; i++) {
        danger = range_danger(bundle, index, bundle->channels[i].window.base,
                              bundle->channels[i].window.size);
    }
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        for (int entry = 0; danger == NULL && entry < COTENANT_PMP_ENTRIES; entry++) {
            danger = entry_danger(bundle, index, &bundle->vharts[i], entry);
        }
    }
    for (int entry = 0; danger == NULL && entry < COTENANT_PMP_ENTRIES; entry++) {
        uint8_t config = bundle->vharts[index].pmp_config[entry];

        DANGER_IF((config & 0xe0) != 0); /* locked, or a bit without a meaning */
        DANGER_IF((config & 3) == 2);    /* a reserved combination */
        DANGER_IF(config != 0 && (uint32_t)entry >= board->pmp_entries);
    }
    return danger;
}

/* The same while the monitor has taken the claim registers away: mode kept, no rights. */
/* A device index out of range, or a port that two channels share, would be followed. */
static const char *channel_danger(const struct bundle *bundle)
{
    unsigned taken[COTENANT_MAX_VIRTUAL_DEVICES] = {0};

    DANGER_IF(bundle->device_count > COTENANT_MAX_VIRTUAL_DEVICES);
    DANGER_IF(bundle->channel_count > COTENANT_MAX_CHANNELS);
    for (uint32_t i = 0; i < bundle->device_count; i++) {
        const struct bundle_device *device = &bundle->devices[i];

        DANGER_IF(device->tenant >= bundle->tenant_count);
        DANGER_IF(device->source >= COTENANT_MAX_SOURCES);
        DANGER_IF(!inside(i, 1, bundle->tenants[device->tenant].device_first,
                          bundle->tenants[device->tenant].device_count));
    }
    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        const struct bundle_tenant *tenant = &bundle->tenants[i];
        bool doorbells = (tenant->flags & COTENANT_TENANT_DOORBELLS) != 0;
        wide size = ((wide)tenant->device_count + doorbells) * COTENANT_VIRTUAL_DEVICE_SIZE;

        DANGER_IF(!inside(tenant->device_first, tenant->device_count, 0, bundle->device_count));
        DANGER_IF(((tenant->may_see | tenant->may_control) >> bundle->tenant_count) != 0);
        DANGER_IF(
            !apart(tenant->virtual_base, size, bundle->board.ram_base, bundle->board.ram_size));
    }
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        DANGER_IF(!apart(channel->window.base, channel->window.size, bundle->board.monitor_base,
                         bundle->board.monitor_size));
        for (uint32_t j = 0; j < bundle->tenant_count; j++) {
            for (int k = 0; k < COTENANT_MAX_MEMORY_RANGES; k++) {
                const struct bundle_range *range = &bundle->tenants[j].memory[k];

                DANGER_IF(
                    !apart(channel->window.base, channel->window.size, range->base, range->size));
            }
        }
        for (uint32_t j = 0; j < i; j++) {
            DANGER_IF(!apart(channel->window.base, channel->window.size,
                             bundle->channels[j].window.base, bundle->channels[j].window.size));
        }
        DANGER_IF(memchr(channel->name, '\0', COTENANT_NAME_SIZE) == NULL);
        DANGER_IF(channel->end_count < (channel->kind == COTENANT_CHANNEL_CONTROL ? 1u : 2u) ||
                  channel->end_count > COTENANT_MAX_CHANNEL_ENDS);
        for (uint32_t end = 0; end < channel->end_count; end++) {
            const struct bundle_end *place = &channel->ends[end];

            DANGER_IF(place->device >= bundle->device_count);
            DANGER_IF(place->port >= COTENANT_MAX_PORTS);
            DANGER_IF((taken[place->device] >> place->port & 1) != 0);
            taken[place->device] |= 1u << place->port;
        }
    }
    return NULL;
}

static const char *closed_danger(const struct bundle *bundle)
{
    static struct bundle closed;
    const char *danger = NULL;

    closed = *bundle;
    for (uint32_t i = 0; i < closed.vhart_count; i++) {
        if (closed.vharts[i].plic_claim_entry != COTENANT_NONE) {
            closed.vharts[i].pmp_config[closed.vharts[i].plic_claim_entry] &= 0x18;
        }
    }
    for (uint32_t i = 0; danger == NULL && i < closed.vhart_count; i++) {
        const struct bundle_vhart *vhart = &closed.vharts[i];
        uint64_t context = closed.board.harts[vhart->hart].plic_s_context;

        DANGER_IF(vhart->plic_claim_entry != COTENANT_NONE &&
                  rights_at(vhart, closed.board.plic_base + 0x200004 + 0x1000 * context) != 0);
        danger = protection_danger(&closed, i);
    }
    return danger;
}

const char *bundle_danger(const struct bundle *bundle, uint64_t monitor_size)
{
    const char *danger = board_danger(bundle, monitor_size);

    if (danger == NULL) {
        danger = hart_danger(&bundle->board);
    }
    for (uint32_t i = 0; danger == NULL && i < bundle->tenant_count; i++) {
        danger = tenant_danger(bundle, i);
    }
    if (danger == NULL) {
        danger = source_danger(bundle);
    }
    if (danger == NULL) {
        danger = master_danger(bundle);
    }
    if (danger == NULL) {
        danger = channel_danger(bundle);
    }
    for (uint32_t i = 0; danger == NULL && i < bundle->vhart_count; i++) {
        danger = vhart_danger(bundle, i);
        danger = danger == NULL ? protection_danger(bundle, i) : danger;
    }
    return danger == NULL ? closed_danger(bundle) : danger;
}

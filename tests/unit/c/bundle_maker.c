/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_maker.h"

#include <string.h>

#include "core/crc32.h"
#include "features/virtio/type.h"

#define MIB 0x100000ul
#define PARTS_SIZE 0xa000

/* The devices that bundles have, in the place of their features. */
static const struct virtio_type console = {.kind = COTENANT_VIRTUAL_CONSOLE};
static const struct virtio_type net = {.kind = COTENANT_VIRTUAL_NET};
static const struct virtio_type input = {.kind = COTENANT_VIRTUAL_INPUT};
static const struct virtio_type vsock = {.kind = COTENANT_VIRTUAL_SOCKET};

static const struct virtio_type served = {.kind = COTENANT_VIRTUAL_SERVED_DISK};

VIRTIO_TYPE(console);
VIRTIO_TYPE(net);
VIRTIO_TYPE(input);
VIRTIO_TYPE(vsock);
VIRTIO_TYPE(served);

static void make_board(struct bundle_board *board)
{
    *board = (struct bundle_board){
        .ram_base = 0x80000000,
        .ram_size = 256 * MIB,
        .monitor_base = 0x8f000000,
        .monitor_size = 16 * MIB,
        .mtime_address = 0x200bff8,
        .mtimecmp_base = 0x2004000,
        .msip_base = 0x2000000,
        .plic_base = 0xc000000,
        .uart_base = 0x10000000,
        .reset_base = 0x100000,
        .timebase_hz = 10000000,
        .plic_sources = 96,
        .uart_kind = COTENANT_UART_NS16550,
        .uart_source = 10,
        .reset_kind = COTENANT_RESET_SIFIVE_TEST,
        .flags = COTENANT_BOARD_SSTC | COTENANT_BOARD_ENVCFG | COTENANT_BOARD_FP |
                 COTENANT_BOARD_PLIC_CHECKED,
        .pmp_entries = 8,
        .pmp_grain = 4,
        .hart_count = 2,
        .harts = {{.id = 0, .plic_m_context = 0, .plic_s_context = 1},
                  {.id = 1, .plic_m_context = 2, .plic_s_context = 3}},
        .bus_kind = COTENANT_BUS_MPFS_MPU,
        .bus_base = 0x20005000,
        .master_count = 10,
    };
    for (uint16_t i = 0; i < board->master_count; i++) {
        board->masters[i] = (struct bundle_master){.number = i, .entries = 16};
    }
    board->masters[4].tenants = 1;
}

static void make_tenant(struct bundle *bundle, uint32_t index, const char *name, uint64_t base,
                        uint64_t size)
{
    struct bundle_tenant *tenant = &bundle->tenants[index];

    strncpy(tenant->name, name, sizeof(tenant->name) - 1);
    tenant->flags = COTENANT_TENANT_AUTOSTART | COTENANT_TENANT_FP | COTENANT_TENANT_UART;
    tenant->vhart_first = index;
    tenant->vhart_count = 1;
    tenant->uart_source = 12;
    tenant->entry = base + 0x1000;
    tenant->devicetree = base + size - 0x2000;
    tenant->uart_base = 0x10000000;
    tenant->plic_base = bundle->board.plic_base;
    tenant->group = COTENANT_NONE;
    tenant->memory[0] = (struct bundle_range){base, size};
    tenant->parts[0] = (struct bundle_part){
        .store_offset = 0x7000, .destination = base, .file_size = 0x1234, .memory_size = 0x3000};
    tenant->parts[1] = (struct bundle_part){.store_offset = 0x9000,
                                            .destination = tenant->devicetree,
                                            .file_size = 0x800,
                                            .memory_size = 0x800};
    bundle->vharts[index] = (struct bundle_vhart){
        .tenant = index,
        .priority = 10,
        .flags = COTENANT_VHART_WFI_YIELDS,
        .slice_us = 10000,
        .plic_m_context = COTENANT_NONE,
        .plic_s_context = 1,
        .plic_claim_entry = COTENANT_NONE,
        .pmp_address = {base >> 2, (base + size) >> 2},
        .pmp_config = {0, PMP_TOR | PMP_R | PMP_W | PMP_X},
    };
}

static void set_entry(struct bundle_vhart *vhart, unsigned entry, uint64_t address, uint8_t config)
{
    vhart->pmp_address[entry] = address;
    vhart->pmp_config[entry] = config;
}

/* Memory in two adjacent ranges, a device of its own, and the interrupt controller. */
static void make_linux(struct bundle *bundle)
{
    struct bundle_tenant *tenant = &bundle->tenants[0];
    struct bundle_vhart *vhart = &bundle->vharts[0];

    make_tenant(bundle, 0, "linux", 0x80000000, 128 * MIB);
    tenant->memory[0].size = 96 * MIB;
    tenant->memory[2] = (struct bundle_range){0x80000000 + 96 * MIB, 32 * MIB};
    tenant->sources[0] = 1u << 11;
    vhart->priority = 1;
    vhart->flags = COTENANT_VHART_PLIC_PASSTHROUGH;
    vhart->plic_claim_entry = MADE_CLAIM;
    set_entry(vhart, MADE_MEMORY, MADE_NAPOT(0x80000000, 128 * MIB),
              PMP_NAPOT | PMP_R | PMP_W | PMP_X);
    set_entry(vhart, MADE_RTC, MADE_NAPOT(0x101000ul, 0x1000), PMP_NAPOT | PMP_R | PMP_W);
    set_entry(vhart, MADE_ENABLES, MADE_NAPOT(0xc002080ul, 0x80), PMP_NAPOT | PMP_R);
    set_entry(vhart, MADE_CLAIM, 0xc201004 >> 2, PMP_NA4 | PMP_R | PMP_W);
}

/* A stream between Linux and the RTOS. */
static void make_channel(struct bundle *bundle)
{
    struct bundle_channel *channel = &bundle->channels[0];

    bundle->device_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        bundle->tenants[i].virtual_base = 0x1000a000;
        bundle->tenants[i].device_first = i;
        bundle->tenants[i].device_count = 1;
        bundle->devices[i] =
            (struct bundle_device){.tenant = i, .kind = COTENANT_VIRTUAL_CONSOLE, .source = 13};
        channel->ends[i] = (struct bundle_end){.device = i, .port = 0};
    }
    bundle->channel_count = 1;
    strcpy(channel->name, "talk");
    channel->kind = COTENANT_CHANNEL_STREAM;
    channel->end_count = 2;
}

void bundle_make(struct bundle *bundle)
{
    memset(bundle, 0, sizeof(*bundle));
    bundle->magic = COTENANT_BUNDLE_MAGIC;
    bundle->version = COTENANT_BUNDLE_VERSION;
    bundle->size = sizeof(*bundle);
    bundle->total_size = PARTS_SIZE;
    bundle->tenant_count = 3;
    bundle->vhart_count = 3;
    make_board(&bundle->board);
    bundle->console = (struct bundle_console){.mode = COTENANT_CONSOLE_MUX, .escape = 20};
    make_linux(bundle);
    make_tenant(bundle, 1, "rtos", 0x88000000, 4 * MIB);
    make_tenant(bundle, 2, "other", 0x88400000, 3 * MIB);
    make_channel(bundle);
    bundle->vharts[1].budget_us = 300;
    bundle->vharts[1].period_us = 1000;
    bundle_seal(bundle);
}

void bundle_overlap(struct bundle *bundle)
{
    const uint64_t hole = 0x80000000 + 100 * MIB;
    struct bundle_tenant *tenant = &bundle->tenants[1];

    bundle->tenants[0].memory[0].size = 100 * MIB;
    bundle->tenants[0].memory[2] = (struct bundle_range){hole + 4 * MIB, 24 * MIB};
    tenant->memory[0].base = hole;
    tenant->entry = hole + 0x1000;
    tenant->parts[0].destination = hole;
    tenant->devicetree = hole + 0x3fe000;
    tenant->parts[1].destination = tenant->devicetree;
    for (unsigned i = 0; i < 2; i++) {
        struct bundle_vhart *vhart = &bundle->vharts[i];

        set_entry(vhart, MADE_HOLE, MADE_NAPOT(hole, 4 * MIB), PMP_NAPOT);
        set_entry(vhart, MADE_AROUND, MADE_NAPOT(0x80000000, 128 * MIB), PMP_NAPOT);
    }
    bundle->vharts[0].pmp_config[MADE_AROUND] |= PMP_R | PMP_W | PMP_X;
    bundle->vharts[1].pmp_config[MADE_HOLE] |= PMP_R | PMP_W | PMP_X;
    bundle->vharts[1].pmp_config[MADE_TOR] = 0;
    bundle_seal(bundle);
}

void bundle_share(struct bundle *bundle)
{
    bundle->channels[0].kind = COTENANT_CHANNEL_MEMORY;
    bundle->channels[0].window = (struct bundle_range){MADE_WINDOW_BASE, MADE_WINDOW_SIZE};
    for (unsigned i = 0; i < 2; i++) {
        bundle->tenants[i].flags |= COTENANT_TENANT_DOORBELLS;
        set_entry(&bundle->vharts[i], MADE_WINDOW, MADE_NAPOT(MADE_WINDOW_BASE, MADE_WINDOW_SIZE),
                  PMP_NAPOT | PMP_R | PMP_W);
    }
    bundle_seal(bundle);
}

void bundle_seal(struct bundle *bundle)
{
    bundle->crc32 = 0;
    bundle->crc32 = crc32_update(0, (const uint8_t *)bundle, sizeof(*bundle));
}

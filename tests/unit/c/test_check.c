/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The monitor's check of the bundle. Each case spoils a good bundle in one way, makes the checksum
 * right again, and wants a refusal that names the field. fuzz_check.c looks for ways that nobody
 * thought of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/check.h"
#include "bundle_maker.h"
#include "bundle_safety.h"
#include "cmocka_tests.h"

#define HUGE 0xfffffffffffff000
#define ALL_ONES UINT64_MAX
/* The upper end of what 54 bits of pmpaddr can say. */
#define LAST_PMP_ADDRESS ((1ul << 54) - 1)
#define RWX (PMP_R | PMP_W | PMP_X)

/* On the heap, so that a read beyond its end is noticed. */
static struct bundle *b;
static struct bundle_board *board;
static struct bundle_tenant *linux_tenant;
static struct bundle_tenant *rtos;
static struct bundle_vhart *linux_vhart;
static struct bundle_vhart *rtos_vhart;

static void fresh(void)
{
    bundle_make(b);
}

static void join(struct bundle_tenant *tenant, uint32_t group)
{
    tenant->group = group;
    tenant->patience_ms = 5000;
}

static void set_pmp(struct bundle_vhart *vhart, unsigned entry, uint64_t address, uint8_t config)
{
    vhart->pmp_address[entry] = address;
    vhart->pmp_config[entry] = config;
}

/* Nothing of its interrupts is passed through to the vhart of Linux. */
static void emulate_plic(void)
{
    linux_vhart->flags &= ~(uint32_t)COTENANT_VHART_PLIC_PASSTHROUGH;
    linux_vhart->plic_claim_entry = COTENANT_NONE;
    set_pmp(linux_vhart, MADE_CLAIM, 0, 0);
    set_pmp(linux_vhart, MADE_ENABLES, 0, 0);
}

static void without_channels(void)
{
    b->device_count = 0;
    b->channel_count = 0;
    for (uint32_t i = 0; i < b->tenant_count; i++) {
        b->tenants[i].device_first = 0;
        b->tenants[i].device_count = 0;
    }
}

/* What boot/early_console.c prints of it. */
static const char *in_words(const struct check_result *result)
{
    static char text[160];

    snprintf(text, sizeof(text), "%s%s%s", result->problem, result->rule != 0 ? ": " : "",
             result->rule != 0 ? result->problem + result->rule : "");
    return text;
}

static void expect_refusal(const char *field, long index, const char *change, int line)
{
    struct check_result result;

    bundle_seal(b);
    result = check_bundle(b, MADE_MONITOR_SIZE);
    if (result.problem == NULL) {
        fail_msg("line %d: accepted: %s", line, change);
    }
    if (strncmp(in_words(&result), field, strlen(field)) != 0 || result.index != index) {
        fail_msg("line %d: %s: refused as \"%s\" [%d]", line, change, in_words(&result),
                 result.index);
    }
}

static void expect_accepted(const char *change, int line)
{
    struct check_result result;

    bundle_seal(b);
    result = check_bundle(b, MADE_MONITOR_SIZE);
    if (result.problem != NULL) {
        fail_msg("line %d: %s: refused as \"%s\" [%d]", line, change, in_words(&result),
                 result.index);
    }
    assert_null(bundle_danger(b, MADE_MONITOR_SIZE));
}

/* `change` makes a good bundle bad: refused by a message that begins with `field`. */
#define REFUSED(field, index, change)                                                              \
    do {                                                                                           \
        fresh();                                                                                   \
        change;                                                                                    \
        expect_refusal(field, index, #change, __LINE__);                                           \
    } while (0)

/* `change` leaves a good bundle good. */
#define ACCEPTED(change)                                                                           \
    do {                                                                                           \
        fresh();                                                                                   \
        change;                                                                                    \
        expect_accepted(#change, __LINE__);                                                        \
    } while (0)

static void set_tor(struct bundle_vhart *vhart, unsigned entry, uint64_t base, uint64_t end)
{
    vhart->pmp_address[entry - 1] = base >> 2;
    set_pmp(vhart, entry, end >> 2, PMP_TOR | RWX);
}

static int set_up(void **state)
{
    (void)state;
    b = malloc(sizeof(*b));
    board = &b->board;
    linux_tenant = &b->tenants[0];
    rtos = &b->tenants[1];
    linux_vhart = &b->vharts[0];
    rtos_vhart = &b->vharts[1];
    return b == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    free(b);
    return 0;
}

static void test_good_bundles_pass(void **state)
{
    (void)state;
    ACCEPTED((void)0);
    ACCEPTED(board->uart_kind = COTENANT_UART_NONE; board->uart_base = 0; board->uart_source = 0);
    ACCEPTED(board->reset_kind = COTENANT_RESET_NONE; board->reset_base = 0);
    ACCEPTED(board->msip_base = 0; board->hart_count = 1);
    ACCEPTED(rtos_vhart->hart = 1; rtos_vhart->plic_s_context = 3);
    ACCEPTED(board->flags = COTENANT_BOARD_FP | COTENANT_BOARD_PLIC_CHECKED);
    ACCEPTED(rtos->devicetree = 0);
    ACCEPTED(without_channels(); rtos->flags = 0; rtos->uart_base = 0; rtos->uart_source = 0;
             rtos->plic_base = 0);
    ACCEPTED(rtos->parts[1].memory_size = 0; rtos->parts[1].file_size = 0);
    ACCEPTED(b->total_size = board->monitor_size - MADE_MONITOR_SIZE);
}

static void test_header(void **state)
{
    (void)state;
    REFUSED("magic", -1, b->magic = 1);
    REFUSED("version", -1, b->version++);
    REFUSED("version", -1, b->size--);
    REFUSED("total_size", -1, b->total_size = sizeof(*b) - 8);
    REFUSED("total_size", -1, b->total_size += 4);
    REFUSED("board.monitor_size", -1, b->total_size = HUGE);
    REFUSED("tenant_count", -1, b->tenant_count = 0);
    REFUSED("tenant_count", -1, b->tenant_count = COTENANT_MAX_TENANTS + 1);
    REFUSED("tenant.name", 3, b->tenant_count++);
    REFUSED("vhart_count", -1, b->vhart_count = 0);
    REFUSED("vhart_count", -1, b->vhart_count = COTENANT_MAX_VHARTS + 1);
    REFUSED("vhart.id", 3, b->vhart_count++; b->vharts[3].priority = 10); /* nobody's */
    REFUSED("tenant.vhart_count", 2, b->vhart_count--);
}

static void test_a_refusal_says_what_is_wrong(void **state)
{
    (void)state;
    REFUSED("board.ram_size: empty or beyond the address space", -1, board->ram_size = 0);
    REFUSED("vhart.hart: no such hart", 1, rtos_vhart->hart = 9);
    REFUSED("vhart.priority: out of range", 1, rtos_vhart->priority = 256);
    REFUSED("vhart.pmp_config: writable but not readable", 1, set_pmp(rtos_vhart, 0, 0, PMP_W));
}

static void test_every_bit_is_under_the_checksum(void **state)
{
    uint8_t *bytes = (uint8_t *)b;

    (void)state;
    fresh();
    for (size_t i = 0; i < sizeof(*b); i += 7) {
        bytes[i] ^= (uint8_t)(1u << i % 8);
        assert_non_null(check_bundle(b, MADE_MONITOR_SIZE).problem);
        bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    assert_null(check_bundle(b, MADE_MONITOR_SIZE).problem);
}

static void test_places_of_the_board(void **state)
{
    (void)state;
    REFUSED("board.ram_size", -1, board->ram_size = 0);
    REFUSED("board.ram_size", -1, board->ram_size = HUGE);
    REFUSED("board.ram_size", -1, board->ram_base = HUGE);
    REFUSED("board.ram_size", -1, board->ram_size = (1ul << 56) - board->ram_base + 1);
    REFUSED("board.monitor_base", -1, board->monitor_base -= 8);
    REFUSED("board.monitor_base", -1, board->monitor_base = HUGE);
    REFUSED("board.monitor_base", -1, board->monitor_base = board->ram_base - 0x1000);
    REFUSED("board.monitor_base", -1, board->monitor_size += 0x1000);
    REFUSED("board.monitor_base", -1, board->monitor_size = ALL_ONES);
    REFUSED("board.monitor_size", -1, board->monitor_size = MADE_MONITOR_SIZE - 1);
    REFUSED("board.monitor_size", -1, board->monitor_size = b->total_size);
    /* Devices of the monitor cannot be in memory that tenants get. */
    REFUSED("board.*_base", -1, board->mtime_address = board->ram_base + 8);
    REFUSED("board.*_base", -1, board->mtimecmp_base = board->ram_base - 8);
    REFUSED("board.*_base", -1, board->msip_base = board->ram_base);
    REFUSED("board.*_base", -1, board->plic_base = board->ram_base - 0x1000);
    REFUSED("board.*_base", -1, board->plic_base = HUGE);
    REFUSED("board.*_base", -1, board->uart_base = board->ram_base);
    REFUSED("board.*_base", -1, board->uart_base = ALL_ONES);
    REFUSED("board.*_base", -1, board->reset_base = board->ram_base);
    REFUSED("board.*_base", -1, board->ram_base = 0; board->ram_size = 0x100000000);
}

static void test_devices_of_the_board(void **state)
{
    (void)state;
    REFUSED("board.timebase_hz", -1, board->timebase_hz = 32767);
    REFUSED("board.mtime_address", -1, board->mtime_address = 0);
    REFUSED("board.mtime_address", -1, board->mtime_address += 4);
    REFUSED("board.mtimecmp_base", -1, board->mtimecmp_base = 0);
    REFUSED("board.mtimecmp_base", -1, board->mtimecmp_base += 4);
    REFUSED("board.msip_base", -1, board->msip_base += 2);
    REFUSED("board.msip_base", -1, board->msip_base = 0);
    REFUSED("board.plic_base", -1, board->plic_base = 0);
    REFUSED("board.plic_base", -1, board->plic_base += 4);
    REFUSED("board.plic_sources", -1, board->plic_sources = COTENANT_MAX_SOURCES + 1);
    REFUSED("board.uart_kind", -1, board->uart_kind = 4);
    REFUSED("board.uart_base", -1, board->uart_base = 0);
    REFUSED("board.uart_register_shift", -1, board->uart_register_shift = 9);
    REFUSED("board.uart_source", -1, board->uart_source = 0);
    REFUSED("board.uart_source", -1, board->uart_source = board->plic_sources);
    REFUSED("board.uart_source", -1, board->uart_kind = COTENANT_UART_NONE; board->uart_base = 0;
            board->uart_source = 1u << 20);
    REFUSED("board.reset_kind", -1, board->reset_kind = 2);
    REFUSED("board.reset_base", -1, board->reset_base = 0);
    REFUSED("board.reset_base", -1, board->reset_base += 2);
    REFUSED("board.flags", -1, board->flags |= 0x80);
    REFUSED("board.flags", -1, board->flags &= ~(uint32_t)COTENANT_BOARD_ENVCFG);
}

static void test_the_unit_that_confines_bus_masters(void **state)
{
    struct bundle_master *gem0 = &board->masters[4];

    (void)state;
    ACCEPTED(board->bus_kind = COTENANT_BUS_NONE; board->master_count = 0);
    ACCEPTED(gem0->tenants = 0; gem0->entries = 1);
    ACCEPTED(gem0->tenants = 2; gem0->entries = 1);
    ACCEPTED(join(rtos, 0); join(&b->tenants[2], 0); gem0->tenants = 6);
    REFUSED("board.bus_kind", -1, board->bus_kind = 2);
    REFUSED("board.bus_base", -1, board->bus_base = 0);
    REFUSED("board.bus_base", -1, board->bus_base += 0x100);
    REFUSED("board.*_base", -1, board->bus_base = board->ram_base - 0x1000;
            board->ram_base -= 0x1000; board->ram_size += 0x1000);
    REFUSED("board.*_base", -1, board->bus_base = HUGE);
    REFUSED("board.bus_kind: it does not know", -1, board->ram_size = 1ul << 38);
    REFUSED("board.master_count", -1, board->master_count--);
    REFUSED("board.master_count", -1, board->master_count = COTENANT_MAX_MASTERS + 1);
    REFUSED("board.master_count", -1, board->bus_kind = COTENANT_BUS_NONE);
    REFUSED("board.masters.number", 9, board->masters[9].number = 10);
    REFUSED("board.masters.number", 9, board->masters[9].number = 0);
    REFUSED("board.masters.entries", 4, gem0->entries = 0);
    REFUSED("board.masters.entries", 4, gem0->entries = 17);
    REFUSED("board.masters.entries: too few", 4, gem0->entries = 2); /* 64, 32 and 32 MiB */
    REFUSED("board.masters.tenants: no such", 4, gem0->tenants = 8);
    REFUSED("board.masters.tenants: no such", 4, gem0->tenants = UINT32_MAX);
    REFUSED("board.masters.tenants: several", 4, gem0->tenants = 3);
    REFUSED("board.masters.tenants: several", 4, join(rtos, 0); join(linux_tenant, 1);
            gem0->tenants = 3);
    /* The unit is the monitor's, and so are the registers between those of its masters. */
    REFUSED("vhart.pmp_address: opens a device of the monitor", 1,
            set_pmp(rtos_vhart, 2, MADE_NAPOT(board->bus_base, 0x1000), PMP_NAPOT | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the monitor", 1,
            set_pmp(rtos_vhart, 2, (board->bus_base + 0xe08) >> 2, PMP_NA4 | PMP_R | PMP_W));
    REFUSED("tenant.resets.base", 1,
            rtos->resets[0] = ((struct bundle_reset){.base = board->bus_base,
                                                     .kind = COTENANT_DEVICE_RESET_NS16550}));
}

static void test_harts_of_the_board(void **state)
{
    (void)state;
    REFUSED("board.hart_count", -1, board->hart_count = 0);
    REFUSED("board.hart_count", -1, board->hart_count = COTENANT_MAX_HARTS + 1);
    REFUSED("board.boot_hart", -1, board->boot_hart = 2);
    REFUSED("board.pmp_entries", -1, board->pmp_entries = 0);
    REFUSED("board.pmp_entries", -1, board->pmp_entries = COTENANT_PMP_ENTRIES + 1);
    REFUSED("board.pmp_grain", -1, board->pmp_grain = 0);
    REFUSED("board.pmp_grain", -1, board->pmp_grain = 2);
    REFUSED("board.pmp_grain", -1, board->pmp_grain = 12);
    REFUSED("board.harts.id", 1, board->harts[1].id = 0);
    REFUSED("board.harts.id", 1, board->harts[1].id = 4095);
    REFUSED("board.harts.plic_m_context", 1, board->harts[1].plic_m_context = 15872);
    REFUSED("board.harts.plic_s_context", 1, board->harts[1].plic_s_context = 15872);
    REFUSED("board.harts.plic_s_context", 1, board->harts[1].plic_s_context = 2);
    REFUSED("board.harts.plic_m_context", 1, board->harts[1].plic_m_context = 1);
    REFUSED("board.harts.plic_s_context", 1, board->harts[1].plic_s_context = 0);
    REFUSED("board.harts.plic_m_context", 0, board->harts[0].plic_m_context = COTENANT_NONE);
    ACCEPTED(board->harts[1].plic_m_context = board->harts[1].plic_s_context = COTENANT_NONE);
    ACCEPTED(board->harts[1].id = 4094);
}

static void test_console(void **state)
{
    (void)state;
    REFUSED("console.mode", -1, b->console.mode = 2);
    REFUSED("console.escape", -1, b->console.escape = 0);
    REFUSED("console.escape", -1, b->console.escape = 32);
    REFUSED("console.focus", -1, b->console.focus = 3);
}

static void set_trace(struct bundle *bundle, uint64_t base, uint64_t ring_size)
{
    bundle->trace = (struct bundle_trace){base, ring_size};
}

static void test_next_stage(void **state)
{
    const uint64_t end = b->total_size;

    (void)state;
    ACCEPTED(b->next_stage = ((struct bundle_next_stage){0, 0}));
    ACCEPTED(b->next_stage = ((struct bundle_next_stage){end - 4096, 4096}));
    REFUSED("next_stage", -1, b->next_stage = ((struct bundle_next_stage){end - 4096, 8192}));
    REFUSED("next_stage", -1, b->next_stage = ((struct bundle_next_stage){end - 4096, 4088}));
    REFUSED("next_stage", -1, b->next_stage = ((struct bundle_next_stage){end - 4088, 4096}));
    REFUSED("next_stage", -1, b->next_stage = ((struct bundle_next_stage){4096, 4096}));
    REFUSED("next_stage", -1, b->next_stage = ((struct bundle_next_stage){0, 4096}));
    REFUSED("next_stage", -1, b->next_stage = ((struct bundle_next_stage){4096, HUGE}));
    REFUSED("next_stage", -1, b->next_stage = ((struct bundle_next_stage){HUGE, 8192}));
}

static void test_handed_tree(void **state)
{
    const uint64_t end = b->total_size;
    const struct bundle_handed_tree good = {end - 8192, 100, end - 4096, 4096};

    (void)state;
    ACCEPTED(b->handed_tree = good);
    ACCEPTED((b->handed_tree = good, b->handed_tree.plan_size = 4096));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.plan_size = 4097));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.plan_size = HUGE));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.plan_offset = 4096));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.plan_offset++));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.plan_offset = end - 4096));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.store_offset = end));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.store_offset = 4096));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.store_offset = HUGE));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.size = 8192));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.size = 4088));
    REFUSED("handed_tree", -1, (b->handed_tree = good, b->handed_tree.size = HUGE));
}

static void test_trace(void **state)
{
    uint64_t first;
    uint64_t end;

    (void)state;
    fresh();
    first = board->monitor_base + MADE_MONITOR_SIZE + b->total_size;
    end = board->monitor_base + board->monitor_size;
    assert_int_equal(first % 4096, 0);
    ACCEPTED(set_trace(b, 0, 0));
    ACCEPTED(set_trace(b, first, 4096));
    ACCEPTED(set_trace(b, end - board->hart_count * 0x10000ul, 0x10000));
    REFUSED("trace.ring_size", -1, set_trace(b, first, 2048));
    REFUSED("trace.ring_size", -1, set_trace(b, first, 4096 + 16));
    REFUSED("trace.ring_size", -1, set_trace(b, first, 0x10001000));
    REFUSED("trace.ring_size", -1, set_trace(b, first, HUGE));
    REFUSED("trace.base", -1, set_trace(b, first + 16, 4096));
    REFUSED("trace.base", -1, set_trace(b, first - 4096, 4096));
    REFUSED("trace.base", -1, set_trace(b, end - board->hart_count * 0x10000ul + 4096, 0x10000));
    REFUSED("trace.base", -1, set_trace(b, 0x88000000, 4096));
    REFUSED("trace.base", -1, set_trace(b, 0, 4096));
}

static void set_vectors(struct bundle *bundle, uint64_t base, uint64_t size)
{
    bundle->board.flags |= COTENANT_BOARD_VECTOR;
    bundle->tenants[0].flags |= COTENANT_TENANT_VECTOR;
    bundle->vectors = (struct bundle_vectors){base, size};
}

static void test_vectors(void **state)
{
    uint64_t first;
    uint64_t end;

    (void)state;
    fresh();
    first = board->monitor_base + MADE_MONITOR_SIZE + b->total_size;
    end = board->monitor_base + board->monitor_size;
    ACCEPTED(set_vectors(b, first, 576));
    ACCEPTED(set_vectors(b, end - 4096, 1344)); /* three vharts */
    REFUSED("vectors", -1, set_vectors(b, end - 4096, 1408));
    REFUSED("vectors", -1, set_vectors(b, end, 576));
    REFUSED("vectors", -1, set_vectors(b, first + 64, 576));
    REFUSED("vectors", -1, set_vectors(b, first, 577));
    REFUSED("vectors", -1, set_vectors(b, first - 4096, 576));
    REFUSED("vectors", -1, set_vectors(b, 0x88000000, 576));
    REFUSED("vectors", -1, set_vectors(b, first, HUGE));
    REFUSED("vectors", -1, (set_vectors(b, first, 576), set_trace(b, first, 4096)));
    ACCEPTED((set_vectors(b, first, 576), set_trace(b, first + 4096, 4096)));
    REFUSED("vectors", -1, (set_vectors(b, first, 576), board->flags &= ~COTENANT_BOARD_VECTOR));
    REFUSED("tenant.flags", 0, set_vectors(b, 0, 0));
    REFUSED("tenant.flags", 0,
            (set_vectors(b, first, 576), b->tenants[0].flags &= ~COTENANT_TENANT_FP));
}

static void test_tenant_names(void **state)
{
    (void)state;
    REFUSED("tenant.name", 0, linux_tenant->name[0] = '\0');
    REFUSED("tenant.name", 1, memset(rtos->name, 'a', sizeof(rtos->name)));
    REFUSED("tenant.name", 1, strcpy(rtos->name, "rt os"));
    REFUSED("tenant.name", 1, strcpy(rtos->name, "a\nstats"));
    REFUSED("tenant.name", 1, strcpy(rtos->name, "\xc3\xa4"));
    REFUSED("tenant.name", 1, strcpy(rtos->name, "linux"));
    ACCEPTED(strcpy(rtos->name, "linux2"));
    ACCEPTED(strcpy(rtos->name, "abcdefghijklmnopqrstuvwxyz_1234"));
}

static void test_tenant_memory(void **state)
{
    (void)state;
    REFUSED("tenant.memory", 1, rtos->memory[0].base += 8);
    REFUSED("tenant.memory", 1, rtos->memory[0].size -= 8);
    REFUSED("tenant.memory", 1, rtos->memory[0].size = HUGE);
    REFUSED("tenant.memory", 1, rtos->memory[0].base = HUGE);
    REFUSED("tenant.memory", 1, rtos->memory[0].base = board->ram_base - 0x1000);
    REFUSED("tenant.memory: overlaps the monitor", 1,
            rtos->memory[1] = ((struct bundle_range){board->monitor_base, 0x1000}));
    REFUSED("tenant.memory: overlaps the monitor", 1,
            rtos->memory[3] = ((struct bundle_range){board->monitor_base - 0x1000, 0x2000}));
    REFUSED("tenant.memory: overlaps another", 1,
            rtos->memory[1] = ((struct bundle_range){linux_tenant->memory[2].base, 0x1000}));
    REFUSED("tenant.memory: overlaps another", 1, rtos->memory[1] = rtos->memory[0]);
    ACCEPTED(rtos->memory[1].base = linux_tenant->memory[0].base); /* size 0: unused */
}

static void test_tenant_parts(void **state)
{
    struct bundle_part *part = &rtos->parts[1];

    (void)state;
    REFUSED("tenant.entry", 1, rtos->entry++);
    REFUSED("tenant.entry", 1, rtos->entry = linux_tenant->entry);
    REFUSED("tenant.entry", 1, rtos->entry = HUGE);
    REFUSED("tenant.entry", 1, rtos->entry = rtos->memory[0].base + rtos->memory[0].size - 2);
    REFUSED("tenant.devicetree", 1, rtos->devicetree = linux_tenant->devicetree);
    REFUSED("tenant.devicetree", 1, rtos->devicetree += 4);
    REFUSED("tenant.devicetree", 1, rtos->devicetree = ALL_ONES);
    REFUSED("tenant.parts", 1, part->file_size = part->memory_size + 1);
    REFUSED("tenant.parts", 1, part->file_size = HUGE);
    REFUSED("tenant.parts", 1, part->memory_size = HUGE);
    REFUSED("tenant.parts", 1, part->memory_size = 0x2001);
    REFUSED("tenant.parts", 1, part->destination += 4);
    REFUSED("tenant.parts", 1, part->destination = board->monitor_base);
    REFUSED("tenant.parts", 1, part->destination = rtos->memory[0].base - 8);
    REFUSED("tenant.parts", 1, part->store_offset = 0); /* struct bundle itself */
    REFUSED("tenant.parts", 1, part->store_offset += 4);
    REFUSED("tenant.parts", 1, part->store_offset = b->total_size);
    REFUSED("tenant.parts", 1, part->store_offset = HUGE);
    REFUSED("tenant.parts", 0, linux_tenant->parts[11].memory_size = 1);
}

static void test_tenant_sources(void **state)
{
    (void)state;
    REFUSED("tenant.sources", 1, rtos->sources[0] = 1);        /* source 0 */
    REFUSED("tenant.sources", 1, rtos->sources[0] = 1u << 10); /* the monitor's UART */
    REFUSED("tenant.sources", 1, rtos->sources[0] = 1u << 11); /* Linux's */
    REFUSED("tenant.sources", 1, rtos->sources[3] = 1);        /* source 96 */
    REFUSED("tenant.sources", 1, rtos->sources[7] = 1u << 31);
    REFUSED("tenant.uart_source", 1, rtos->uart_source = 0);
    REFUSED("tenant.uart_source", 1, rtos->uart_source = 96);
    REFUSED("tenant.uart_source", 0, linux_tenant->sources[0] |= 1u << 12);
    REFUSED("tenant.uart_base", 1, rtos->uart_base = 0);
    REFUSED("tenant.uart_base", 1, rtos->uart_base = ALL_ONES);
    REFUSED("tenant.uart_base", 1, rtos->uart_base = board->ram_base - 0x80);
    REFUSED("tenant.plic_base", 1, rtos->plic_base += 0x1000);
    REFUSED("tenant.flags", 1, rtos->flags |= 0x200);
    ACCEPTED(rtos->flags |= COTENANT_TENANT_MACHINE);
    ACCEPTED(rtos->flags |= COTENANT_TENANT_MACHINE | COTENANT_TENANT_KEEP_CODE);
    ACCEPTED(rtos->flags |= COTENANT_TENANT_MACHINE | COTENANT_TENANT_S_MODE);
    REFUSED("tenant.flags", 1, rtos->flags |= COTENANT_TENANT_KEEP_CODE);
    REFUSED("tenant.flags", 1, rtos->flags |= COTENANT_TENANT_S_MODE);
    REFUSED("tenant.flags", 0, linux_tenant->flags |= COTENANT_TENANT_MACHINE);
    REFUSED("tenant.flags", 0, board->flags &= ~(uint32_t)COTENANT_BOARD_FP);
    ACCEPTED(rtos->sources[2] = 1u << 31); /* source 95, the last */
}

static void test_whose_vhart(void **state)
{
    (void)state;
    REFUSED("tenant.vhart_count", 1, rtos->vhart_first = 3);
    REFUSED("tenant.vhart_count", 1, rtos->vhart_first = UINT32_MAX);
    REFUSED("tenant.vhart_count", 1, rtos->vhart_count = 0);
    REFUSED("tenant.vhart_count", 1, rtos->vhart_count = 3);
    REFUSED("tenant.vhart_count", 1, rtos->vhart_count = UINT32_MAX);
    /* Two tenants that have a vhart in common could start each other's. */
    REFUSED("vhart.tenant", 2, rtos->vhart_count = 2);
    REFUSED("vhart.id", 1, rtos->vhart_first = 2);
    REFUSED("vhart.tenant", 1, rtos_vhart->tenant = 3);
    REFUSED("vhart.tenant", 1, rtos_vhart->tenant = 1u << 20;
            rtos_vhart->priority = linux_vhart->priority);
    REFUSED("vhart.id", 1, rtos_vhart->tenant = 0);
    REFUSED("vhart.id", 1, rtos_vhart->id = 1);
    REFUSED("vhart.hart", 1, rtos_vhart->hart = 2);
    REFUSED("vhart.hart", 2, b->tenant_count = 2; rtos->vhart_count = 2; b->vharts[2].tenant = 1;
            b->vharts[2].id = 1);
    REFUSED("vhart.plic_s_context", 1, rtos_vhart->hart = 1;
            board->harts[1].plic_m_context = COTENANT_NONE);
    REFUSED("vhart.hart", 1, rtos_vhart->hart = UINT32_MAX);
}

static void share_reset(struct bundle_tenant *tenant)
{
    tenant->resets[0] =
        (struct bundle_reset){.base = 0x10001000, .kind = COTENANT_DEVICE_RESET_VIRTIO_MMIO};
}

static void test_groups(void **state)
{
    (void)state;
    ACCEPTED(rtos->group = 15; rtos->patience_ms = 600000; rtos->refusal = 1);
    REFUSED("tenant.group", 1, rtos->group = 16; rtos->patience_ms = 1);
    REFUSED("tenant.refusal", 1, rtos->refusal = 2);
    REFUSED("tenant.patience_ms", 1, rtos->patience_ms = 1);
    REFUSED("tenant.patience_ms", 1, rtos->group = 0);
    REFUSED("tenant.patience_ms", 1, rtos->group = 0; rtos->patience_ms = 600001);
    /* The same source and device for two. */
    REFUSED("tenant.sources", 1, rtos->sources[0] = linux_tenant->sources[0]);
    ACCEPTED(join(linux_tenant, 3); join(rtos, 3); rtos->sources[0] = linux_tenant->sources[0]);
    REFUSED("tenant.sources", 1, join(linux_tenant, 3); join(rtos, 2);
            rtos->sources[0] = linux_tenant->sources[0]);
    ACCEPTED(join(linux_tenant, 3); join(rtos, 3); share_reset(linux_tenant); share_reset(rtos));
    REFUSED("tenant.resets.base", 1, join(linux_tenant, 3); join(rtos, 2);
            share_reset(linux_tenant); share_reset(rtos));
    /* The same place on the hart. */
    REFUSED("vhart.flags", 0, rtos_vhart->priority = linux_vhart->priority);
    ACCEPTED(join(linux_tenant, 3); join(rtos, 3); rtos_vhart->priority = linux_vhart->priority);
}

static void give_guests(struct bundle_tenant *tenant)
{
    tenant->guest_base = 0x10040000;
    tenant->guest_memory = 0x200000;
    tenant->guest_count = 2;
    tenant->guest_vharts = 8;
    tenant->guest_entries = 2;
}

/* With guests, and an emulated PLIC, as they need it. */
static void make_host(struct bundle_tenant *tenant)
{
    give_guests(tenant);
    if (tenant == linux_tenant) {
        emulate_plic();
    }
}

static void test_guests(void **state)
{
    (void)state;
    ACCEPTED(make_host(linux_tenant));
    ACCEPTED(make_host(linux_tenant); make_host(rtos); rtos->guest_vharts = 6;
             rtos_vhart->budget_us = 0; rtos_vhart->period_us = 0);
    ACCEPTED(make_host(rtos); rtos_vhart->budget_us = 0; rtos_vhart->period_us = 0;
             rtos_vhart->hart = 1; rtos_vhart->plic_s_context = COTENANT_NONE);
    REFUSED("vhart.plic_s_context", 1, make_host(rtos); rtos_vhart->budget_us = 0;
            rtos_vhart->period_us = 0; rtos_vhart->hart = 1;
            rtos_vhart->plic_s_context = COTENANT_NONE;
            board->harts[1].plic_m_context = COTENANT_NONE);
    REFUSED("tenant.guest_count", 0, make_host(linux_tenant); make_host(rtos));
    REFUSED("tenant.guest_count", 0, make_host(linux_tenant); linux_tenant->guest_count = 9;
            linux_tenant->guest_vharts = 1);
    REFUSED("tenant.guest_count", 0, make_host(linux_tenant);
            linux_tenant->guest_count = UINT32_MAX);
    REFUSED("tenant.guest_count", 0, give_guests(linux_tenant));
    REFUSED("tenant.guest_count", 0, make_host(linux_tenant); linux_vhart->budget_us = 500;
            linux_vhart->period_us = 1000);
    REFUSED("tenant.guest_vharts", 0, make_host(linux_tenant); linux_tenant->guest_vharts = 0);
    REFUSED("tenant.guest_vharts", 0, make_host(linux_tenant); linux_tenant->guest_count = 1;
            linux_tenant->guest_vharts = 9);
    REFUSED("tenant.guest_entries", 0, make_host(linux_tenant); linux_tenant->guest_entries = 0);
    REFUSED("tenant.guest_entries", 0, make_host(linux_tenant); linux_tenant->guest_entries = 8);
    REFUSED("tenant.guest_entries", 0, make_host(linux_tenant); linux_vhart->pmp_address[7] = 1);
    REFUSED("tenant.guest_entries", 1, make_host(linux_tenant); rtos_vhart->pmp_config[6] = 1);
    REFUSED("tenant.guest_base", 0, make_host(linux_tenant);
            linux_tenant->guest_base = board->ram_base);
    REFUSED("tenant.guest_base", 0, make_host(linux_tenant); linux_tenant->guest_base = 0x10000800);
    REFUSED("tenant.guest_base", 0, make_host(linux_tenant);
            linux_tenant->guest_base = UINT64_MAX - 0xfff);
}

static void test_tenant_watch(void **state)
{
    (void)state;
    ACCEPTED(rtos->watchdog_base = 0x2000000; rtos->watch_policy = COTENANT_WATCH_STOP;
             rtos->watch_within_us = 1000);
    ACCEPTED(rtos->watch_within_us = UINT32_MAX; rtos->watch_boot_us = UINT32_MAX);
    REFUSED("tenant.watch_policy", 1, rtos->watch_policy = 4; rtos->watch_within_us = 1000);
    REFUSED("tenant.watch_within_us", 1, rtos->watch_policy = COTENANT_WATCH_LOG);
    REFUSED("tenant.watch_within_us", 1, rtos->watch_within_us = 999);
    REFUSED("tenant.watchdog_base", 1, rtos->watchdog_base = 0x2000800);
    REFUSED("tenant.watchdog_base", 1, rtos->watchdog_base = board->ram_base);
    REFUSED("tenant.watchdog_base", 1, rtos->watchdog_base = UINT64_MAX - 0xfff);
}

static void test_tenant_resets(void **state)
{
    (void)state;
    ACCEPTED(rtos->resets[0].kind = 1; rtos->resets[0].base = 0x10001000);
    ACCEPTED(rtos->resets[0].kind = 2; rtos->resets[0].base = 0x10001000);
    ACCEPTED(rtos->resets[0].kind = 3; rtos->resets[0].base = 0x30000000);
    REFUSED("tenant.resets.kind", 1, rtos->resets[0].kind = 5);
    ACCEPTED(rtos->resets[0].kind = 4; rtos->resets[0].base = 0x10001000;
             rtos->resets[0].register_shift = 2; rtos->resets[0].divisor = 1);
    REFUSED("tenant.resets.register_shift", 1, rtos->resets[0].register_shift = 9);
    REFUSED("tenant.resets.kind", 1, rtos->resets[1].kind = 1; rtos->resets[1].base = 0x10001000);
    ACCEPTED(rtos->resets[0].kind = 2; rtos->resets[0].base = 0x10001000; rtos->resets[1].kind = 1;
             rtos->resets[1].base = 0x10002000);
    REFUSED("tenant.resets.kind", 1, rtos->resets[0].kind = 1; rtos->resets[0].base = 0x10001000;
            rtos->resets[1].kind = 2; rtos->resets[1].base = 0x10002000);
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 1);
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 1; rtos->resets[0].base = 0x10001800);
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 1;
            rtos->resets[0].base = board->ram_base);
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 1;
            rtos->resets[0].base = board->plic_base + 0x1000);
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 1;
            rtos->resets[0].base = board->uart_base);
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 1;
            rtos->resets[0].base = UINT64_MAX - 0xfff);
    REFUSED("tenant.resets.base", 2, rtos->resets[0].kind = 1; rtos->resets[0].base = 0x10001000;
            b->tenants[2].resets[0] = rtos->resets[0]);
    /* A bus has more registers than others: all of them count. */
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 3;
            rtos->resets[0].base = board->uart_base - 0xff000);
    REFUSED("tenant.resets.base", 1, rtos->resets[0].kind = 3;
            rtos->resets[0].base = board->ram_base - 0xff000);
    REFUSED("tenant.resets.base", 2, rtos->resets[0].kind = 3; rtos->resets[0].base = 0x30000000;
            b->tenants[2].resets[0].kind = 1; b->tenants[2].resets[0].base = 0x300ff000);
}

static void test_vhart_time(void **state)
{
    (void)state;
    REFUSED("vhart.priority", 1, rtos_vhart->priority = 256);
    REFUSED("vhart.slice_us", 1, rtos_vhart->slice_us = 99);
    REFUSED("vhart.slice_us", 1, rtos_vhart->slice_us = 1000001);
    REFUSED("vhart.budget_us", 1, rtos_vhart->budget_us = 1000);
    REFUSED("vhart.budget_us", 1, rtos_vhart->budget_us = UINT32_MAX);
    REFUSED("vhart.budget_us", 1, rtos_vhart->period_us = 0);
    REFUSED("vhart.budget_us", 1, rtos_vhart->period_us = 1000001);
    /* Less than a tick would be rounded to "no limit". */
    REFUSED("vhart.budget_us", 1, board->timebase_hz = 32768; rtos_vhart->budget_us = 30);
    ACCEPTED(board->timebase_hz = 32768; rtos_vhart->budget_us = 31);
    ACCEPTED(rtos_vhart->budget_us = 0; rtos_vhart->period_us = 0);
}

static void test_vhart_interrupts(void **state)
{
    (void)state;
    REFUSED("vhart.flags", 1, rtos_vhart->flags |= 0x4);
    REFUSED("vhart.flags", 1, rtos_vhart->flags = 0);
    REFUSED("vhart.flags", 1, rtos_vhart->flags |= COTENANT_VHART_PLIC_PASSTHROUGH);
    REFUSED("vhart.flags", 0, linux_vhart->priority = 10);
    REFUSED("vhart.flags", 0, linux_vhart->flags |= COTENANT_VHART_WFI_YIELDS);
    REFUSED("vhart.plic_m_context", 1, rtos_vhart->plic_m_context = 15872);
    REFUSED("vhart.plic_s_context", 1, rtos_vhart->plic_s_context = UINT32_MAX);
    REFUSED("vhart.plic_s_context", 0, linux_vhart->plic_s_context = 3);
    REFUSED("vhart.plic_s_context", 0, linux_vhart->plic_s_context = COTENANT_NONE);
    REFUSED("vhart.plic_s_context", 0, board->harts[0].plic_s_context = COTENANT_NONE);
    REFUSED("vhart.plic_s_context", 0, without_channels(); linux_tenant->plic_base = 0);
    REFUSED("vhart.plic_claim_entry", 1, rtos_vhart->plic_claim_entry = MADE_CLAIM);
    REFUSED("vhart.plic_claim_entry", 0, linux_vhart->plic_claim_entry = 8);
    REFUSED("vhart.plic_claim_entry", 0, linux_vhart->plic_claim_entry = 0x1234);
    REFUSED("vhart.plic_claim_entry", 0, linux_vhart->plic_claim_entry = MADE_MEMORY);
    REFUSED("vhart.pmp_address", 0, linux_vhart->plic_claim_entry = 7);
    ACCEPTED(linux_vhart->plic_claim_entry = COTENANT_NONE; set_pmp(linux_vhart, MADE_CLAIM, 0, 0));
}

static void test_shared_by_as_many_as_fit(void **state)
{
    static const char letters[] = "abcdefghi";

    (void)state;
    fresh();
    for (uint32_t i = 3; i < 9; i++) {
        b->tenants[i] = b->tenants[2];
        b->tenants[i].name[0] = letters[i];
        b->tenants[i].vhart_first = i;
        b->tenants[i].memory[0] = (struct bundle_range){0x89000000 + i * 0x100000, 0x1000};
        b->tenants[i].entry = b->tenants[i].memory[0].base;
        b->tenants[i].devicetree = 0;
        memset(b->tenants[i].parts, 0, sizeof(b->tenants[i].parts));
        b->vharts[i] = b->vharts[2];
        b->vharts[i].tenant = i;
        memset(b->vharts[i].pmp_config, 0, sizeof(b->vharts[i].pmp_config));
    }
    b->tenant_count = b->vhart_count = 8;
    expect_accepted("8 on a hart", __LINE__);
    b->tenant_count = b->vhart_count = 9;
    expect_refusal("vhart.hart", 0, "9 on a hart", __LINE__);
}

static void test_pmp_encodings(void **state)
{
    (void)state;
    REFUSED("vhart.pmp_config", 1, rtos_vhart->pmp_config[1] |= 0x80);
    REFUSED("vhart.pmp_config", 1, rtos_vhart->pmp_config[7] = 0x80);
    REFUSED("vhart.pmp_config", 1, rtos_vhart->pmp_config[1] |= 0x20);
    REFUSED("vhart.pmp_config", 1, rtos_vhart->pmp_config[1] |= 0x40);
    REFUSED("vhart.pmp_config", 1, rtos_vhart->pmp_config[1] = PMP_TOR | PMP_W);
    REFUSED("vhart.pmp_config", 1, rtos_vhart->pmp_config[1] = PMP_TOR | PMP_W | PMP_X);
    REFUSED("vhart.pmp_config", 1, set_pmp(rtos_vhart, 8, 0, PMP_NA4));
    REFUSED("vhart.pmp_address", 1, rtos_vhart->pmp_address[5] = 1ul << 54);
    REFUSED("vhart.pmp_address", 1, rtos_vhart->pmp_address[15] = ALL_ONES);
    /* A hart that protects pages cannot tell registers of four bytes apart. */
    REFUSED("vhart.pmp_address", 0, board->pmp_grain = 0x1000);
    /* One that takes away must mean the same on every hart, too. */
    REFUSED("vhart.pmp_address", 2, board->pmp_grain = 0x1000; emulate_plic();
            set_pmp(&b->vharts[2], 5, MADE_NAPOT(0x88400000ul, 0x800), PMP_NAPOT));
    ACCEPTED(rtos_vhart->pmp_config[1] = PMP_TOR); /* nothing at all is safe */
    ACCEPTED(rtos_vhart->pmp_config[2] = RWX);     /* off */
    /* A bound that is not above the one before matches nothing. */
    ACCEPTED(set_pmp(rtos_vhart, 3, 100, 0); set_pmp(rtos_vhart, 4, 100, PMP_TOR | RWX));
    ACCEPTED(set_pmp(rtos_vhart, 3, LAST_PMP_ADDRESS, 0); set_pmp(rtos_vhart, 4, 1, PMP_TOR | RWX));
}

static void test_pmp_opens_everything(void **state)
{
    (void)state;
    REFUSED("vhart.pmp_address", 1,
            set_pmp(rtos_vhart, 2, LAST_PMP_ADDRESS, PMP_NAPOT | RWX)); /* all 56 bits */
    REFUSED("vhart.pmp_address", 1, set_pmp(rtos_vhart, 2, LAST_PMP_ADDRESS >> 1, PMP_NAPOT | RWX));
    REFUSED("vhart.pmp_address", 1, set_pmp(rtos_vhart, 2, ALL_ONES, PMP_NAPOT | RWX));
    REFUSED("vhart.pmp_address", 1, set_pmp(rtos_vhart, 2, ALL_ONES >> 2, PMP_NAPOT | RWX));
    REFUSED("vhart.pmp_address", 1, set_pmp(rtos_vhart, 0, LAST_PMP_ADDRESS, PMP_TOR | PMP_R));
    REFUSED("vhart.pmp_address", 1, set_pmp(rtos_vhart, 3, LAST_PMP_ADDRESS, PMP_TOR | PMP_X));
}

static void test_pmp_opens_foreign_memory(void **state)
{
    uint64_t base;
    uint64_t end;

    (void)state;
    fresh();
    base = rtos->memory[0].base;
    end = base + rtos->memory[0].size;
    REFUSED("vhart.pmp_address: opens memory", 1, set_tor(rtos_vhart, 1, base - 4, end));
    REFUSED("vhart.pmp_address: opens memory", 1, set_tor(rtos_vhart, 1, base, end + 4));
    REFUSED("vhart.pmp_address: opens memory", 1,
            set_pmp(rtos_vhart, 3, MADE_NAPOT(base, 0x800000ul), PMP_NAPOT | PMP_R));
    REFUSED("vhart.pmp_address: opens memory", 1,
            set_pmp(rtos_vhart, 3, board->monitor_base >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens memory", 1,
            set_pmp(rtos_vhart, 3, linux_tenant->entry >> 2, PMP_NA4 | PMP_X));
    /* RAM that is nobody's, and a range that reaches into the RAM from outside. */
    REFUSED("vhart.pmp_address: opens memory", 1,
            set_pmp(rtos_vhart, 3, 0x8c000000 >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens memory", 0, set_pmp(linux_vhart, 0, 0x60000000 >> 2, 0);
            set_pmp(linux_vhart, 1, (0x80000000 + 0x8000004) >> 2, PMP_TOR | RWX));
    ACCEPTED(set_pmp(linux_vhart, 4, 0x60000000 >> 2, 0);
             set_pmp(linux_vhart, 5, (0x80000000 + 0x8000000) >> 2, PMP_TOR | RWX));
    ACCEPTED(set_tor(rtos_vhart, 1, base + 4, end - 4));
    /* The same entries are wrong once the second range of Linux's memory is not there. */
    REFUSED("vhart.pmp_address: opens memory", 0, linux_tenant->memory[2].size -= 0x1000;
            linux_tenant->devicetree = 0; linux_tenant->parts[1].memory_size = 0;
            linux_tenant->parts[1].file_size = 0);
}

/* The entry before decides; one behind, or beside, does not help. */
static void test_pmp_entries_that_overlap(void **state)
{
    const uint64_t hole = 0x80000000 + 100 * 0x100000;
    const uint64_t around = MADE_NAPOT(0x80000000ul, 0x8000000);
    const char *foreign = "vhart.pmp_address: opens memory";

    (void)state;
    ACCEPTED(bundle_overlap(b));
    ACCEPTED(bundle_overlap(b); rtos_vhart->pmp_config[MADE_AROUND] = 0);
    /* The hole by TOR, then in two parts. */
    ACCEPTED(bundle_overlap(b); set_pmp(linux_vhart, 0, 0, 0); set_pmp(linux_vhart, 1, 0, 0);
             set_pmp(linux_vhart, 0, hole >> 2, 0);
             set_pmp(linux_vhart, 1, (hole + 0x400000) >> 2, PMP_TOR));
    ACCEPTED(bundle_overlap(b); set_pmp(linux_vhart, 0, MADE_NAPOT(hole, 0x200000), PMP_NAPOT);
             set_pmp(linux_vhart, 4, MADE_NAPOT(hole + 0x200000, 0x200000), PMP_NAPOT));
    /* Not taken away, or not all of it, or behind. */
    REFUSED(foreign, 0, bundle_overlap(b); linux_vhart->pmp_config[MADE_HOLE] = 0);
    REFUSED(foreign, 0, bundle_overlap(b); linux_vhart->pmp_config[MADE_HOLE] |= PMP_R);
    REFUSED(foreign, 0, bundle_overlap(b);
            linux_vhart->pmp_address[MADE_HOLE] = MADE_NAPOT(hole, 0x200000));
    REFUSED(foreign, 0, bundle_overlap(b);
            linux_vhart->pmp_address[MADE_HOLE] = MADE_NAPOT(hole + 0x200000, 0x200000));
    REFUSED(foreign, 0, bundle_overlap(b);
            set_pmp(linux_vhart, MADE_HOLE, (hole + 0x1000) >> 2, PMP_NA4));
    REFUSED(foreign, 0, bundle_overlap(b); set_pmp(linux_vhart, MADE_HOLE, 0, 0);
            set_pmp(linux_vhart, MADE_AROUND + 1, MADE_NAPOT(hole, 0x400000), PMP_NAPOT));
    REFUSED(foreign, 1, bundle_overlap(b); rtos_vhart->pmp_config[MADE_AROUND] |= PMP_R);
    /* What is larger than RAM reaches the monitor beyond the hole. */
    REFUSED(foreign, 0, bundle_overlap(b);
            linux_vhart->pmp_address[MADE_AROUND] = MADE_NAPOT(0x80000000ul, 0x10000000));
    /* Two that allow: each decides about its own part, and both parts are judged. */
    ACCEPTED(set_pmp(linux_vhart, 4, around, PMP_NAPOT | PMP_R));
    REFUSED(foreign, 0,
            set_pmp(linux_vhart, 4, MADE_NAPOT(0x80000000ul, 0x10000000), PMP_NAPOT | PMP_R));
}

static void test_pmp_devices_that_are_taken_away(void **state)
{
    const char *monitors = "vhart.pmp_address: opens a device of the mon";
    const char *anothers = "vhart.pmp_address: opens a device of another";

    (void)state;
    /* The UART of the monitor in the block of the tenant's devices. */
    ACCEPTED(set_pmp(rtos_vhart, 3, MADE_NAPOT(0x10000000ul, 0x1000), PMP_NAPOT);
             set_pmp(rtos_vhart, 4, MADE_NAPOT(0x10000000ul, 0x8000), PMP_NAPOT | PMP_R | PMP_W));
    REFUSED(monitors, 1, set_pmp(rtos_vhart, 4, MADE_NAPOT(0x10000000ul, 0x1000), PMP_NAPOT);
            set_pmp(rtos_vhart, 3, MADE_NAPOT(0x10000000ul, 0x8000), PMP_NAPOT | PMP_R | PMP_W));
    /* The RTC of Linux, and what is beside it. */
    ACCEPTED(set_pmp(rtos_vhart, 3, MADE_NAPOT(0x101000ul, 0x1000), PMP_NAPOT);
             set_pmp(rtos_vhart, 4, 0x101000 >> 2, 0);
             set_pmp(rtos_vhart, 5, 0x104000 >> 2, PMP_TOR | PMP_R));
    REFUSED(anothers, 1, set_pmp(rtos_vhart, 3, MADE_NAPOT(0x101000ul, 0x800), PMP_NAPOT);
            set_pmp(rtos_vhart, 4, 0x101000 >> 2, 0);
            set_pmp(rtos_vhart, 5, 0x104000 >> 2, PMP_TOR | PMP_R));
    /* In a group, both have it. */
    ACCEPTED(join(linux_tenant, 0); join(rtos, 0);
             set_pmp(rtos_vhart, 3, MADE_NAPOT(0x101000ul, 0x1000), PMP_NAPOT | PMP_R));
    /* Linux has given a part of its own away, which the RTOS may have then. */
    ACCEPTED(set_pmp(linux_vhart, 4, linux_vhart->pmp_address[MADE_RTC], PMP_NAPOT | PMP_R);
             set_pmp(linux_vhart, MADE_RTC, MADE_NAPOT(0x101000ul, 0x800), PMP_NAPOT);
             set_pmp(rtos_vhart, 3, MADE_NAPOT(0x101000ul, 0x800), PMP_NAPOT | PMP_R));
    REFUSED(anothers, 1,
            set_pmp(linux_vhart, 4, linux_vhart->pmp_address[MADE_RTC], PMP_NAPOT | PMP_R);
            set_pmp(linux_vhart, MADE_RTC, MADE_NAPOT(0x101000ul, 0x400), PMP_NAPOT);
            set_pmp(rtos_vhart, 3, MADE_NAPOT(0x101000ul, 0x800), PMP_NAPOT | PMP_R));
    /* A closed claim entry still matches, so a larger one may lie behind it, but never open more.
     */
    REFUSED(monitors, 0,
            set_pmp(linux_vhart, 4, MADE_NAPOT(0xc201000ul, 0x1000), PMP_NAPOT | PMP_R));
    REFUSED(monitors, 0, set_pmp(linux_vhart, 4, MADE_NAPOT(0xc201000ul, 8), PMP_NAPOT | PMP_R));
}

static void test_pmp_opens_devices(void **state)
{
    (void)state;
    REFUSED("vhart.pmp_address: opens a device of the mon", 1,
            set_pmp(rtos_vhart, 3, 0x200bff8 >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 1,
            set_pmp(rtos_vhart, 3, 0x200403c >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 1, board->harts[1].id = 100;
            set_pmp(rtos_vhart, 3, 0x2004320 >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 1,
            set_pmp(rtos_vhart, 3, MADE_NAPOT(0x2000000ul, 0x10000), PMP_NAPOT | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 1,
            set_pmp(rtos_vhart, 3, 0x10000004 >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 1,
            set_pmp(rtos_vhart, 3, 0x100000 >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of another", 1,
            set_pmp(rtos_vhart, 3, 0x101ffc >> 2, PMP_NA4 | PMP_R));
    ACCEPTED(set_pmp(rtos_vhart, 3, MADE_NAPOT(0x10001000ul, 0x1000), PMP_NAPOT | PMP_R | PMP_W));
}

static void open_slot(uint32_t vhart)
{
    set_pmp(&b->vharts[vhart], 7, MADE_NAPOT(0x10001800ul, 0x800), PMP_NAPOT | PMP_R);
}

static void test_pmp_opens_guarded_devices(void **state)
{
    (void)state;
    REFUSED("vhart.pmp_address: opens a guarded device", 1, share_reset(rtos); open_slot(1));
    REFUSED("vhart.pmp_address: opens a guarded device", 0, share_reset(rtos); open_slot(0));
    REFUSED("vhart.pmp_address: opens a guarded device", 2, share_reset(rtos); open_slot(2));
    ACCEPTED(share_reset(rtos); rtos->flags |= COTENANT_TENANT_TRUSTED; open_slot(1));
    /* Of two that take turns, each is trusted or not. */
    ACCEPTED(join(linux_tenant, 3); join(rtos, 3); share_reset(linux_tenant); share_reset(rtos);
             rtos->flags |= COTENANT_TENANT_TRUSTED; open_slot(1));
    REFUSED("vhart.pmp_address: opens a guarded device", 0, join(linux_tenant, 3); join(rtos, 3);
            share_reset(linux_tenant); share_reset(rtos); rtos->flags |= COTENANT_TENANT_TRUSTED;
            open_slot(0));
}

static void make_slots(struct bundle_tenant *tenant, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tenant->resets[i] = (struct bundle_reset){.base = 0x10001000 + 0x1000ul * (first + i),
                                                  .kind = COTENANT_DEVICE_RESET_VIRTIO_MMIO};
    }
}

static void test_guarded_devices_are_counted(void **state)
{
    (void)state;
    ACCEPTED(make_slots(rtos, 0, COTENANT_MAX_GUARDED));
    REFUSED("tenant.resets: more guarded", 1, make_slots(rtos, 0, COTENANT_MAX_GUARDED + 1));
    REFUSED("tenant.resets: more guarded", 1, make_slots(linux_tenant, 0, 1);
            make_slots(rtos, 1, COTENANT_MAX_GUARDED));
    ACCEPTED(make_slots(rtos, 0, COTENANT_MAX_RESETS); rtos->flags |= COTENANT_TENANT_TRUSTED);
    ACCEPTED(join(linux_tenant, 3); join(rtos, 3); make_slots(linux_tenant, 0, 5);
             make_slots(rtos, 1, COTENANT_MAX_GUARDED - 1));
}

static void test_pmp_opens_the_interrupt_controller(void **state)
{
    uint64_t plic;

    (void)state;
    fresh();
    plic = board->plic_base;
    /* Priorities, enables and claims of whoever. */
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            set_pmp(linux_vhart, 4, plic >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            set_pmp(linux_vhart, 4, MADE_NAPOT(plic, 0x4000000), PMP_NAPOT | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            set_pmp(linux_vhart, 4, (plic + 0x2000) >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            set_pmp(linux_vhart, 4, (plic + 0x201000) >> 2, PMP_NA4 | PMP_R)); /* threshold */
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            set_pmp(linux_vhart, 4, (plic + 0x200004) >> 2, PMP_NA4 | PMP_R | PMP_W));
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            set_pmp(linux_vhart, 4, (plic + 0x3fffffc) >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 1,
            set_pmp(rtos_vhart, 3, (plic + 0x2080) >> 2, PMP_NA4 | PMP_R));
    REFUSED("vhart.pmp_address: opens a device of the mon", 1,
            set_pmp(rtos_vhart, 3, (plic + 0x201004) >> 2, PMP_NA4 | PMP_R));
    /* The enable bits to read only, the claim register by its own entry only. */
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            linux_vhart->pmp_config[MADE_ENABLES] |= PMP_W);
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            linux_vhart->pmp_address[MADE_ENABLES] = MADE_NAPOT(plic + 0x2000, 0x100));
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            linux_vhart->pmp_config[MADE_CLAIM] |= PMP_X);
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            board->flags &= ~(uint32_t)COTENANT_BOARD_PLIC_CHECKED);
    ACCEPTED(board->flags &= ~(uint32_t)COTENANT_BOARD_PLIC_CHECKED;
             linux_vhart->pmp_config[MADE_CLAIM] &= ~PMP_W);
    REFUSED("vhart.pmp_address: opens a device of the mon", 0,
            set_pmp(linux_vhart, 0, (plic + 0x201004) >> 2, PMP_NA4 | PMP_R | PMP_W));
    /* Behind the claim entry, which decides alone even while it is closed. */
    ACCEPTED(set_pmp(linux_vhart, 4, (plic + 0x201004) >> 2, PMP_NA4 | PMP_R | PMP_W));
    REFUSED("vhart.plic_claim_entry", 0,
            linux_vhart->pmp_address[MADE_CLAIM] = (plic + 0x201000) >> 2);
    REFUSED("vhart.plic_claim_entry", 0,
            set_pmp(linux_vhart, MADE_CLAIM, MADE_NAPOT(plic + 0x201000, 8),
                    PMP_NAPOT | PMP_R | PMP_W));
    ACCEPTED(linux_vhart->pmp_config[MADE_ENABLES] = 0);
}

static void test_virtual_devices(void **state)
{
    (void)state;
    REFUSED("device_count", -1, b->device_count = COTENANT_MAX_VIRTUAL_DEVICES + 1);
    REFUSED("tenant.device_count", 0, linux_tenant->device_count = 3);
    REFUSED("tenant.device_count", 0, linux_tenant->device_first = 2);
    REFUSED("tenant.device_count", 0, linux_tenant->device_first = UINT32_MAX);
    REFUSED("tenant.device_count", 0, linux_tenant->device_count = UINT32_MAX);
    REFUSED("tenant.device_first", 0, linux_tenant->device_first = 1);
    REFUSED("tenant.virtual_base", 0, linux_tenant->virtual_base += 4);
    REFUSED("tenant.virtual_base", 0, linux_tenant->virtual_base = board->ram_base - 0x800);
    REFUSED("tenant.virtual_base", 0, linux_tenant->virtual_base = board->ram_base);
    REFUSED("tenant.virtual_base", 0, linux_tenant->virtual_base = board->plic_base + 0x1000);
    REFUSED("tenant.virtual_base", 0, linux_tenant->virtual_base = board->uart_base);
    REFUSED("tenant.virtual_base", 0, linux_tenant->virtual_base = HUGE);
    REFUSED("device.tenant", 1, b->devices[1].tenant = 3; rtos->device_count = 0);
    REFUSED("device.tenant", 1, rtos->device_count = 0);
    REFUSED("device.kind", 0, b->devices[0].kind = 0);
    REFUSED("device.source", 0, b->devices[0].source = 0);
    REFUSED("device.source", 0, b->devices[0].source = 12); /* the virtual UART's */
    REFUSED("device.source", 0, b->devices[0].source = 11); /* the clock's */
    REFUSED("device.source", 1, b->devices[1].source = 96);
    REFUSED("device.source", 1, rtos->plic_base = 0);
    REFUSED("device.source", 1, linux_tenant->device_count = 2; b->devices[1].tenant = 0;
            rtos->device_count = 0);
    ACCEPTED(without_channels());
}

/* A control channel of the first tenant, behind its stream. */
static void add_control_channel(uint32_t port)
{
    b->channels[1] = (struct bundle_channel){
        .name = "control",
        .kind = COTENANT_CHANNEL_CONTROL,
        .end_count = 1,
        .ends = {{.device = 0, .port = port}},
    };
    b->channel_count = 2;
}

static void test_channels(void **state)
{
    struct bundle_channel *channel = &b->channels[0];

    (void)state;
    REFUSED("channel_count", -1, b->channel_count = COTENANT_MAX_CHANNELS + 1);
    REFUSED("channel.name", 0, channel->name[0] = '\0');
    REFUSED("channel.name", 0, memset(channel->name, 'x', sizeof(channel->name)));
    REFUSED("channel.name", 0, channel->name[1] = '\n');
    REFUSED("channel.kind", 0, channel->kind = 0);
    REFUSED("channel.end_count", 0, channel->end_count = 1);
    REFUSED("channel.end_count", 0, channel->end_count = 3);
    REFUSED("channel.ends.device", 0, channel->ends[1].device = 2);
    REFUSED("channel.ends.port", 0, channel->ends[1].device = 0);
    REFUSED("channel.ends.port", 0, channel->ends[1].port = 1);
    REFUSED("channel.ends.port", 1, b->channels[1] = *channel; b->channel_count = 2);
    ACCEPTED(b->channels[1] = *channel; b->channels[1].ends[0].port = 1;
             b->channels[1].ends[1].port = 1; b->channel_count = 2);
    REFUSED("channel.ends.device", 0, channel->kind = COTENANT_CHANNEL_NET);
    REFUSED("channel.ends.device", 0, b->devices[0].kind = COTENANT_VIRTUAL_NET);
    ACCEPTED(channel->kind = COTENANT_CHANNEL_NET; b->devices[0].kind = COTENANT_VIRTUAL_NET;
             b->devices[1].kind = COTENANT_VIRTUAL_NET);
    REFUSED("channel.end_count", 0, channel->kind = COTENANT_CHANNEL_NET; channel->end_count = 9);
    REFUSED("channel.ends.device", 1, channel->kind = COTENANT_CHANNEL_NET;
            b->devices[0].kind = COTENANT_VIRTUAL_NET; b->devices[1].kind = COTENANT_VIRTUAL_NET;
            b->channels[1] = *channel; b->channels[1].ends[0].port = 1;
            b->channels[1].ends[1].port = 1; b->channel_count = 2);
    ACCEPTED(channel->kind = COTENANT_CHANNEL_SOCKET; b->devices[0].kind = COTENANT_VIRTUAL_SOCKET;
             b->devices[1].kind = COTENANT_VIRTUAL_SOCKET);
    REFUSED("channel.ends.device", 0, channel->kind = COTENANT_CHANNEL_SOCKET);
    REFUSED("channel.end_count", 0, channel->kind = COTENANT_CHANNEL_SOCKET;
            channel->end_count = 3);
    ACCEPTED(add_control_channel(1));
    ACCEPTED(add_control_channel(1); linux_tenant->may_see = 7; linux_tenant->may_control = 6);
    REFUSED("tenant.may_see", 0, linux_tenant->may_see = 8);
    REFUSED("tenant.may_see", 0, linux_tenant->may_control = 1u << 31);
    REFUSED("channel.end_count", 1, add_control_channel(1); b->channels[1].end_count = 0);
    REFUSED("channel.end_count", 1, add_control_channel(1); b->channels[1].end_count = 2);
    REFUSED("channel.ends.port", 1, add_control_channel(0));
    REFUSED("channel.ends.device", 1, add_control_channel(1); b->channels[1].ends[0].device = 9);
    REFUSED("channel.ends", 2, add_control_channel(1); b->channels[2] = b->channels[1];
            b->channels[2].ends[0].port = 2; b->channel_count = 3);
}

/* The first tenant serves a disk of the second one, whose only device that is. */
static void serve(void)
{
    struct bundle_channel *channel = &b->channels[0];

    channel->kind = COTENANT_CHANNEL_SERVED;
    b->devices[1].kind = COTENANT_VIRTUAL_SERVED_DISK;
}

static void test_served_devices(void **state)
{
    const struct bundle_range memory = rtos->memory[0];
    struct bundle_channel *channel = &b->channels[0];
    const uint64_t entry = MADE_NAPOT(memory.base, memory.size);

    (void)state;
    ACCEPTED(serve());
    ACCEPTED(serve(); rtos->flags |= COTENANT_TENANT_AWAITS_SERVER);
    REFUSED("channel.ends", 0, serve(); join(rtos, 0));
    REFUSED("channel.end_count", 0, serve(); channel->end_count = 1);
    REFUSED("channel.end_count", 0, serve(); channel->end_count = 9);
    REFUSED("channel.ends.device", 0, serve(); b->devices[1].kind = COTENANT_VIRTUAL_CONSOLE);
    REFUSED("channel.ends.device", 0, serve(); channel->ends[1].device = 2);
    REFUSED("channel.ends.device", 0, serve(); channel->ends[0].device = 1);
    REFUSED("channel.ends: a device twice", 0, serve(); channel->end_count = 3;
            channel->ends[2] = channel->ends[1]; channel->ends[2].port = 1);
    REFUSED("channel.ends: a tenant that serves itself", 0, serve(); rtos->device_count = 0;
            b->devices[1].tenant = 0; b->devices[1].source = 20; linux_tenant->device_count = 2);
    REFUSED("channel.ends: the tenant has a server", 1, serve(); b->channels[1] = *channel;
            b->channels[1].ends[0].port = 1; b->channels[1].ends[1].port = 1; b->channel_count = 2);
    REFUSED("device.kind: served by no tenant", 1, serve(); b->channel_count = 0);
    REFUSED("channel.window: none", 0, serve(); channel->window = memory);
    REFUSED("tenant.virtual_base: no room", 0, serve();
            linux_tenant->virtual_base = board->plic_base - 2 * COTENANT_VIRTUAL_DEVICE_SIZE);
    /* The server may touch the client's memory, and nobody else may. */
    ACCEPTED(serve(); set_pmp(linux_vhart, MADE_WINDOW, entry, PMP_NAPOT | PMP_R | PMP_W));
    REFUSED("vhart.pmp_address: opens memory", 0,
            set_pmp(linux_vhart, MADE_WINDOW, entry, PMP_NAPOT | PMP_R | PMP_W));
    REFUSED("vhart.pmp_address: opens memory", 2, serve();
            set_pmp(&b->vharts[2], 5, entry, PMP_NAPOT | PMP_R));
}

static void test_windows(void **state)
{
    struct bundle_channel *channel = &b->channels[0];
    const uint64_t entry = MADE_NAPOT(MADE_WINDOW_BASE, MADE_WINDOW_SIZE);
    struct bundle_vhart *other = &b->vharts[2];

    (void)state;
    ACCEPTED(bundle_share(b));
    ACCEPTED(bundle_share(b); linux_vhart->pmp_config[MADE_WINDOW] = 0);
    REFUSED("channel.window: none", 0, bundle_share(b); channel->window.size = 0);
    REFUSED("channel.window: none", 0, channel->window.size = 0x1000);
    REFUSED("channel.window: mis", 0, bundle_share(b); channel->window.base += 0x800);
    REFUSED("channel.window: mis", 0, bundle_share(b); channel->window.size += 0x800);
    REFUSED("channel.window: mis", 0, bundle_share(b); channel->window.base = 0x10000000);
    REFUSED("channel.window: mis", 0, bundle_share(b); channel->window.size = HUGE);
    REFUSED("channel.window: over", 0, bundle_share(b);
            channel->window.base = rtos->memory[0].base + 0x1000);
    REFUSED("channel.window: over", 0, bundle_share(b);
            channel->window.base = board->monitor_base - 0x1000);
    REFUSED("channel.window: over", 1, bundle_share(b); b->channels[1] = *channel;
            b->channels[1].ends[0].port = 1; b->channels[1].ends[1].port = 1; b->channel_count = 2);
    REFUSED("tenant.virtual_base", 0, bundle_share(b);
            linux_tenant->virtual_base = board->uart_base - 0x1000);
    REFUSED("vhart.pmp_address: opens memory", 0, bundle_share(b);
            channel->window.base += MADE_WINDOW_SIZE);
    REFUSED("vhart.pmp_address: opens memory", 0, bundle_share(b); channel->window.size -= 0x1000);
    REFUSED("vhart.pmp_address: opens memory", 2, bundle_share(b);
            set_pmp(other, 5, entry, PMP_NAPOT | PMP_R));
    REFUSED("vhart.pmp_address: opens memory", 0, bundle_share(b);
            linux_vhart->pmp_address[MADE_WINDOW] =
                MADE_NAPOT(MADE_WINDOW_BASE, 2 * MADE_WINDOW_SIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_bundles_pass),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_a_refusal_says_what_is_wrong),
        cmocka_unit_test(test_every_bit_is_under_the_checksum),
        cmocka_unit_test(test_places_of_the_board),
        cmocka_unit_test(test_devices_of_the_board),
        cmocka_unit_test(test_the_unit_that_confines_bus_masters),
        cmocka_unit_test(test_harts_of_the_board),
        cmocka_unit_test(test_console),
        cmocka_unit_test(test_next_stage),
        cmocka_unit_test(test_handed_tree),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_tenant_names),
        cmocka_unit_test(test_tenant_memory),
        cmocka_unit_test(test_tenant_parts),
        cmocka_unit_test(test_tenant_sources),
        cmocka_unit_test(test_whose_vhart),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_tenant_resets),
        cmocka_unit_test(test_virtual_devices),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_served_devices),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_guests),
        cmocka_unit_test(test_tenant_watch),
        cmocka_unit_test(test_vhart_time),
        cmocka_unit_test(test_vhart_interrupts),
        cmocka_unit_test(test_shared_by_as_many_as_fit),
        cmocka_unit_test(test_pmp_encodings),
        cmocka_unit_test(test_pmp_opens_everything),
        cmocka_unit_test(test_pmp_opens_foreign_memory),
        cmocka_unit_test(test_pmp_entries_that_overlap),
        cmocka_unit_test(test_pmp_devices_that_are_taken_away),
        cmocka_unit_test(test_pmp_opens_devices),
        cmocka_unit_test(test_pmp_opens_guarded_devices),
        cmocka_unit_test(test_guarded_devices_are_counted),
        cmocka_unit_test(test_pmp_opens_the_interrupt_controller),
    };

    return cmocka_run_group_tests_name("check", tests, set_up, tear_down);
}

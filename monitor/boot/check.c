/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/check.h"

#include <stdbool.h>

#include "arch/memory.h"
#include "core/crc32.h"

#define PAGE_SIZE 4096
#define MOST_US 1000000
#define PMP_ADDRESS_MODE 0x18
#define PMP_TOR 0x08
#define PMP_NA4 0x10
#define PMP_NAPOT 0x18
#define PMP_RIGHTS 0x07

static const struct check_result good = {NULL, -1};

#define REQUIRE(condition, text, number)                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return (struct check_result){text, (long)(number)};                                    \
        }                                                                                          \
    } while (0)

/* [base, base + size) lies in [outer, outer + outer_size), without overflow. */
static bool contains(uint64_t outer, uint64_t outer_size, uint64_t base, uint64_t size)
{
    return base >= outer && base - outer <= outer_size && size <= outer_size - (base - outer);
}

static bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size != 0 && b_size != 0 && (a < b ? b - a < a_size : a - b < b_size);
}

static bool aligned(uint64_t value, uint64_t alignment)
{
    return (value & (alignment - 1)) == 0;
}

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
    REQUIRE(bundle->total_size >= sizeof(*bundle) && aligned(bundle->total_size, 8),
            "total_size: too small or not a multiple of 8", -1);
    REQUIRE(bundle->tenant_count >= 1 && bundle->tenant_count <= COTENANT_MAX_TENANTS,
            "tenant_count: out of range", -1);
    REQUIRE(bundle->vhart_count >= 1 && bundle->vhart_count <= COTENANT_MAX_VHARTS,
            "vhart_count: out of range", -1);
    return good;
}

static struct check_result check_board(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;

    REQUIRE(board->ram_size != 0 && board->ram_base + board->ram_size > board->ram_base,
            "board.ram_size: empty or beyond the address space", -1);
    REQUIRE(aligned(board->monitor_base, PAGE_SIZE), "board.monitor_base: not 4096-aligned", -1);
    REQUIRE(contains(board->ram_base, board->ram_size, board->monitor_base, board->monitor_size),
            "board.monitor_base: outside of the board's RAM", -1);
    REQUIRE(board->monitor_size >= monitor_size &&
                board->monitor_size - monitor_size >= bundle->total_size,
            "board.monitor_size: too small for monitor and images", -1);
    REQUIRE(board->hart_count >= 1 && board->hart_count <= COTENANT_MAX_HARTS,
            "board.hart_count: out of range", -1);
    REQUIRE(board->boot_hart < board->hart_count, "board.boot_hart: no such hart", -1);
    REQUIRE(board->timebase_hz >= 32768, "board.timebase_hz: below 32768", -1);
    REQUIRE(board->mtime_address != 0 && aligned(board->mtime_address, 8) &&
                board->mtimecmp_base != 0 && aligned(board->mtimecmp_base, 8),
            "board.mtime_address: no usable timer", -1);
    REQUIRE(board->plic_base != 0 && board->plic_sources <= COTENANT_MAX_SOURCES,
            "board.plic_sources: out of range", -1);
    REQUIRE(board->uart_kind <= COTENANT_UART_NS16550, "board.uart_kind: no driver for it", -1);
    REQUIRE(board->uart_register_shift <= 8, "board.uart_register_shift: above 8", -1);
    REQUIRE(board->uart_kind == COTENANT_UART_NONE ||
                (board->uart_base != 0 && board->uart_source != 0 &&
                 board->uart_source < board->plic_sources),
            "board.uart_source: no such source", -1);
    REQUIRE(board->reset_kind <= COTENANT_RESET_SIFIVE_TEST, "board.reset_kind: no driver for it",
            -1);
    REQUIRE(board->pmp_entries <= COTENANT_PMP_ENTRIES, "board.pmp_entries: out of range", -1);
    REQUIRE(bundle->console.mode <= COTENANT_CONSOLE_FRAMED, "console.mode: unknown", -1);
    REQUIRE(bundle->console.escape >= 1 && bundle->console.escape <= 31,
            "console.escape: not a control character", -1);
    REQUIRE(bundle->console.focus < bundle->tenant_count, "console.focus: no such tenant", -1);
    return good;
}

static bool in_memory(const struct bundle_tenant *tenant, uint64_t base, uint64_t size)
{
    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        if (contains(tenant->memory[i].base, tenant->memory[i].size, base, size)) {
            return true;
        }
    }
    return false;
}

static struct check_result check_parts(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    for (unsigned i = 0; i < COTENANT_MAX_IMAGE_PARTS; i++) {
        const struct bundle_part *part = &tenant->parts[i];

        if (part->memory_size == 0 && part->file_size == 0) {
            continue;
        }
        REQUIRE(part->file_size <= part->memory_size, "tenant.parts: file_size above memory_size",
                index);
        REQUIRE(aligned(part->destination, 8) &&
                    in_memory(tenant, part->destination, part->memory_size),
                "tenant.parts: destination outside of the tenant's memory", index);
        REQUIRE(part->file_size == 0 ||
                    (part->store_offset >= sizeof(*bundle) && aligned(part->store_offset, 8) &&
                     contains(0, bundle->total_size, part->store_offset, part->file_size)),
                "tenant.parts: store_offset outside of the bundle", index);
    }
    return good;
}

static struct check_result check_memory(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_board *board = &bundle->board;

    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct bundle_range *range = &bundle->tenants[index].memory[i];

        REQUIRE(range->size == 0 ||
                    (aligned(range->base, PAGE_SIZE) && aligned(range->size, PAGE_SIZE) &&
                     contains(board->ram_base, board->ram_size, range->base, range->size)),
                "tenant.memory: misaligned or outside of the board's RAM", index);
        REQUIRE(!overlaps(range->base, range->size, board->monitor_base, board->monitor_size),
                "tenant.memory: overlaps the monitor", index);
        for (uint32_t other = 0; other < bundle->tenant_count; other++) {
            for (unsigned j = 0; j < COTENANT_MAX_MEMORY_RANGES; j++) {
                const struct bundle_range *theirs = &bundle->tenants[other].memory[j];

                REQUIRE((other == index && j == i) ||
                            !overlaps(range->base, range->size, theirs->base, theirs->size),
                        "tenant.memory: overlaps another range", index);
            }
        }
    }
    return good;
}

static struct check_result check_sources(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    uint32_t board_uart = bundle->board.uart_source;

    REQUIRE(board_uart < COTENANT_MAX_SOURCES &&
                (tenant->sources[board_uart / 32] >> board_uart % 32 & 1) == 0,
            "tenant.sources: holds the monitor's UART", index);
    REQUIRE((tenant->flags & COTENANT_TENANT_UART) == 0 ||
                (tenant->uart_source < bundle->board.plic_sources && tenant->uart_base != 0),
            "tenant.uart_source: no such source", index);
    for (uint32_t other = 0; other < index; other++) {
        for (unsigned word = 0; word < COTENANT_SOURCE_WORDS; word++) {
            REQUIRE((tenant->sources[word] & bundle->tenants[other].sources[word]) == 0,
                    "tenant.sources: owned twice", index);
        }
    }
    return good;
}

static struct check_result check_tenant(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    struct check_result result;

    REQUIRE(tenant->name[0] != '\0' && tenant->name[COTENANT_NAME_SIZE - 1] == '\0',
            "tenant.name: empty or not terminated", index);
    REQUIRE(tenant->vhart_count >= 1 && tenant->vhart_first < bundle->vhart_count &&
                tenant->vhart_count <= bundle->vhart_count - tenant->vhart_first,
            "tenant.vhart_count: out of range", index);
    REQUIRE(in_memory(tenant, tenant->entry, 4) && aligned(tenant->entry, 2),
            "tenant.entry: outside of the tenant's memory", index);
    REQUIRE(tenant->devicetree == 0 || in_memory(tenant, tenant->devicetree, 8),
            "tenant.devicetree: outside of the tenant's memory", index);
    result = check_memory(bundle, index);
    if (result.problem == NULL) {
        result = check_parts(bundle, index);
    }
    if (result.problem == NULL) {
        result = check_sources(bundle, index);
    }
    return result;
}

/* The bytes that a PMP entry covers (privileged ISA 3.7.1). */
static void pmp_range(const struct bundle_vhart *vhart, unsigned entry, uint64_t *base,
                      uint64_t *size)
{
    uint64_t address = vhart->pmp_address[entry];
    uint64_t previous = entry == 0 ? 0 : vhart->pmp_address[entry - 1];

    *base = address << 2;
    *size = 0;
    switch (vhart->pmp_config[entry] & PMP_ADDRESS_MODE) {
    case PMP_TOR:
        *base = previous << 2;
        *size = address > previous ? (address - previous) << 2 : 0;
        break;
    case PMP_NA4:
        *size = 4;
        break;
    case PMP_NAPOT:
        *size = (address ^ (address + 1)) + 1;
        *base = (address & ~(*size - 1)) << 2;
        *size <<= 2;
        break;
    default:
        break;
    }
}

/* Whatever the entries mean in detail, they must not open what is the monitor's alone. */
static struct check_result check_protection(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    const struct bundle_board *board = &bundle->board;
    const struct bundle_range closed[] = {
        {board->monitor_base, board->monitor_size},
        {board->mtime_address, 8},
        {board->mtimecmp_base, 8 * COTENANT_MAX_HARTS},
        {board->msip_base, 4 * COTENANT_MAX_HARTS},
        {board->uart_base,
         board->uart_kind == COTENANT_UART_NONE ? 0 : 8ul << board->uart_register_shift},
        {board->reset_base, 4},
    };

    for (unsigned entry = 0; entry < COTENANT_PMP_ENTRIES; entry++) {
        uint64_t base;
        uint64_t size;

        REQUIRE((vhart->pmp_config[entry] & ~(PMP_ADDRESS_MODE | PMP_RIGHTS)) == 0,
                "vhart.pmp_config: locked or reserved bits", index);
        REQUIRE(entry < board->pmp_entries || vhart->pmp_config[entry] == 0,
                "vhart.pmp_config: more entries than the board has", index);
        if ((vhart->pmp_config[entry] & PMP_RIGHTS) == 0) {
            continue;
        }
        pmp_range(vhart, entry, &base, &size);
        for (unsigned i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
            REQUIRE(closed[i].base == 0 || !overlaps(base, size, closed[i].base, closed[i].size),
                    "vhart.pmp_address: opens the monitor's memory or devices", index);
        }
    }
    return good;
}

static struct check_result check_vhart(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    const struct bundle_tenant *tenant;
    uint32_t sharing = 0;

    REQUIRE(vhart->tenant < bundle->tenant_count, "vhart.tenant: no such tenant", index);
    tenant = &bundle->tenants[vhart->tenant];
    REQUIRE(index >= tenant->vhart_first && index - tenant->vhart_first < tenant->vhart_count &&
                vhart->id == index - tenant->vhart_first,
            "vhart.id: not the one that its tenant expects", index);
    REQUIRE(vhart->hart == bundle->board.boot_hart,
            "vhart.hart: this monitor runs tenants on the boot hart only", index);
    REQUIRE(vhart->priority <= 255, "vhart.priority: above 255", index);
    REQUIRE(vhart->slice_us >= 100 && vhart->slice_us <= MOST_US, "vhart.slice_us: out of range",
            index);
    REQUIRE(vhart->budget_us == 0 ||
                (vhart->budget_us < vhart->period_us && vhart->period_us <= MOST_US),
            "vhart.budget_us: not below a period of at most a second", index);
    REQUIRE(vhart->plic_claim_entry == COTENANT_NONE ||
                vhart->plic_claim_entry < bundle->board.pmp_entries,
            "vhart.plic_claim_entry: no such entry", index);
    REQUIRE((vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) == 0 ||
                (vhart->flags & COTENANT_VHART_WFI_YIELDS) == 0,
            "vhart.flags: a vhart that yields cannot have the interrupt controller", index);
    for (uint32_t other = 0; other < bundle->vhart_count; other++) {
        const struct bundle_vhart *theirs = &bundle->vharts[other];

        if (theirs->hart == vhart->hart) {
            sharing++;
            REQUIRE(other == index || (vhart->flags & COTENANT_VHART_WFI_YIELDS) != 0 ||
                        theirs->priority > vhart->priority,
                    "vhart.flags: only the lowest of a hart may keep it while it waits", index);
        }
    }
    REQUIRE(sharing <= COTENANT_MAX_VHARTS_PER_HART, "vhart.hart: shared by too many", index);
    return check_protection(bundle, index);
}

struct check_result check_bundle(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_header(bundle);

    if (result.problem == NULL) {
        result = check_board(bundle, monitor_size);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->tenant_count; i++) {
        result = check_tenant(bundle, i);
    }
    for (uint32_t i = 0; result.problem == NULL && i < bundle->vhart_count; i++) {
        result = check_vhart(bundle, i);
    }
    return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "core/feature.h"

#define TENANT_FLAGS                                                                               \
    (COTENANT_TENANT_AUTOSTART | COTENANT_TENANT_FP | COTENANT_TENANT_UART |                       \
     COTENANT_TENANT_RESTART_ON_CRASH | COTENANT_TENANT_RESTART_ON_SHUTDOWN |                      \
     COTENANT_TENANT_DOORBELLS | COTENANT_TENANT_TRUSTED)
#define VIRTUAL_UART_SIZE 0x100
#define MOST_PATIENCE_MS 600000
#define VIRTUAL_WATCHDOG_SIZE CHECK_PAGE_SIZE

static bool in_memory(const struct bundle_tenant *tenant, uint64_t base, uint64_t size)
{
    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        if (check_contains(tenant->memory[i].base, tenant->memory[i].size, base, size)) {
            return true;
        }
    }
    return false;
}

static bool has_source(const struct bundle_tenant *tenant, uint32_t source)
{
    return (tenant->sources[source / 32] >> source % 32 & 1) != 0;
}

static bool names_equal(const struct bundle_tenant *a, const struct bundle_tenant *b)
{
    unsigned i = 0;

    while (i < COTENANT_NAME_SIZE && a->name[i] == b->name[i] && a->name[i] != '\0') {
        i++;
    }
    return i == COTENANT_NAME_SIZE || a->name[i] == b->name[i];
}

static struct check_result check_name(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE(check_is_name(tenant->name), "tenant.name: empty, not terminated or not printable",
            index);
    for (uint32_t other = 0; other < index; other++) {
        REQUIRE(!names_equal(tenant, &bundle->tenants[other]), "tenant.name: used twice", index);
    }
    return check_good();
}

static struct check_result check_vharts(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE(tenant->vhart_count >= 1 && tenant->vhart_first < bundle->vhart_count &&
                tenant->vhart_count <= bundle->vhart_count - tenant->vhart_first,
            "tenant.vhart_count: out of range", index);
    return check_good();
}

static struct check_result check_memory(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_board *board = &bundle->board;

    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct bundle_range *range = &bundle->tenants[index].memory[i];

        REQUIRE(range->size == 0 ||
                    (check_aligned(range->base, CHECK_PAGE_SIZE) &&
                     check_aligned(range->size, CHECK_PAGE_SIZE) &&
                     check_contains(board->ram_base, board->ram_size, range->base, range->size)),
                "tenant.memory: misaligned or outside of the board's RAM", index);
        REQUIRE(!check_overlaps(range->base, range->size, board->monitor_base, board->monitor_size),
                "tenant.memory: overlaps the monitor", index);
        for (uint32_t other = 0; other <= index; other++) {
            for (unsigned j = 0; j < COTENANT_MAX_MEMORY_RANGES; j++) {
                const struct bundle_range *theirs = &bundle->tenants[other].memory[j];

                REQUIRE((other == index && j == i) ||
                            !check_overlaps(range->base, range->size, theirs->base, theirs->size),
                        "tenant.memory: overlaps another range", index);
            }
        }
    }
    return check_good();
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
        REQUIRE(check_aligned(part->destination, 8) &&
                    in_memory(tenant, part->destination, part->memory_size),
                "tenant.parts: destination outside of the tenant's memory", index);
        REQUIRE(part->file_size == 0 ||
                    (part->store_offset >= sizeof(*bundle) &&
                     check_aligned(part->store_offset, 8) &&
                     check_contains(0, bundle->total_size, part->store_offset, part->file_size)),
                "tenant.parts: store_offset outside of the bundle", index);
    }
    return check_good();
}

static struct check_result check_sources(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE(!has_source(tenant, 0), "tenant.sources: there is no source 0", index);
    for (uint32_t source = bundle->board.plic_sources; source < COTENANT_MAX_SOURCES; source++) {
        REQUIRE(!has_source(tenant, source), "tenant.sources: more than the board has", index);
    }
    REQUIRE(bundle->board.uart_kind == COTENANT_UART_NONE ||
                !has_source(tenant, bundle->board.uart_source),
            "tenant.sources: holds the monitor's UART", index);
    for (uint32_t other = 0; other < index; other++) {
        for (unsigned word = 0; word < COTENANT_SOURCE_WORDS; word++) {
            REQUIRE(check_share_a_group(tenant, &bundle->tenants[other]) ||
                        (tenant->sources[word] & bundle->tenants[other].sources[word]) == 0,
                    "tenant.sources: owned twice", index);
        }
    }
    return check_good();
}

/* Virtual registers lie outside of the RAM: the tenant's accesses to them have to trap. */
static struct check_result check_virtual_devices(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    const struct bundle_board *board = &bundle->board;

    REQUIRE(tenant->plic_base == 0 || tenant->plic_base == board->plic_base,
            "tenant.plic_base: not where the board's is", index);
    REQUIRE(HAS(plic) || (tenant->plic_base == 0 && (tenant->flags & COTENANT_TENANT_UART) == 0),
            "tenant.plic_base: this monitor is built without interrupts of devices", index);
    if ((tenant->flags & COTENANT_TENANT_UART) == 0) {
        return check_good();
    }
    REQUIRE(tenant->uart_source != 0 && tenant->uart_source < board->plic_sources,
            "tenant.uart_source: no such source", index);
    REQUIRE(!has_source(tenant, tenant->uart_source), "tenant.uart_source: it is a device's",
            index);
    REQUIRE(
        tenant->uart_base != 0 &&
            check_contains(0, CHECK_ADDRESS_LIMIT, tenant->uart_base, VIRTUAL_UART_SIZE) &&
            !check_overlaps(tenant->uart_base, VIRTUAL_UART_SIZE, board->ram_base, board->ram_size),
        "tenant.uart_base: in the RAM or beyond the address space", index);
    return check_good();
}

static struct check_result check_watch(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    const struct bundle_board *board = &bundle->board;
    uint64_t base = tenant->watchdog_base;

    REQUIRE(tenant->watch_policy <= COTENANT_WATCH_STOP, "tenant.watch_policy: unknown", index);
    REQUIRE(tenant->watch_within_us >= COTENANT_WATCH_LEAST_US ||
                (tenant->watch_within_us == 0 && tenant->watch_policy == COTENANT_WATCH_OFF),
            "tenant.watch_within_us: too short", index);
    REQUIRE(base == 0 ||
                (check_contains(0, CHECK_ADDRESS_LIMIT, base, VIRTUAL_WATCHDOG_SIZE) &&
                 check_aligned(base, VIRTUAL_WATCHDOG_SIZE) &&
                 !check_overlaps(base, VIRTUAL_WATCHDOG_SIZE, board->ram_base, board->ram_size)),
            "tenant.watchdog_base: in the RAM or beyond the address space", index);
    return check_good();
}

static struct check_result check_group(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE(tenant->group == COTENANT_NONE || tenant->group < COTENANT_MAX_TENANTS,
            "tenant.group: out of range", index);
    REQUIRE((tenant->may_see | tenant->may_control) >> bundle->tenant_count == 0,
            "tenant.may_see: a tenant that does not exist", index);
    REQUIRE(tenant->refusal <= COTENANT_REFUSAL_FORCE, "tenant.refusal: unknown", index);
    REQUIRE(tenant->group == COTENANT_NONE
                ? tenant->patience_ms == 0
                : tenant->patience_ms >= 1 && tenant->patience_ms <= MOST_PATIENCE_MS,
            "tenant.patience_ms: out of range", index);
    return check_good();
}

static struct check_result check_start(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE((tenant->flags & ~(uint32_t)TENANT_FLAGS) == 0, "tenant.flags: unknown", index);
    REQUIRE((tenant->flags & COTENANT_TENANT_FP) == 0 ||
                (bundle->board.flags & COTENANT_BOARD_FP) != 0,
            "tenant.flags: the board has no floating point", index);
    REQUIRE((tenant->flags & COTENANT_TENANT_FP) == 0 || HAS(fp),
            "tenant.flags: this monitor is built without floating point", index);
    REQUIRE(in_memory(tenant, tenant->entry, 4) && check_aligned(tenant->entry, 2),
            "tenant.entry: outside of the tenant's memory", index);
    REQUIRE(tenant->devicetree == 0 ||
                (check_aligned(tenant->devicetree, 8) && in_memory(tenant, tenant->devicetree, 8)),
            "tenant.devicetree: outside of the tenant's memory", index);
    return check_good();
}

static struct check_result check_tenant(const struct bundle *bundle, uint32_t index)
{
    static check_one *const rules[] = {
        check_name,    check_vharts,          check_memory, check_parts, check_start,
        check_sources, check_virtual_devices, check_group,  check_watch,
    };
    struct check_result result = check_good();

    for (unsigned i = 0; result.problem == NULL && i < sizeof(rules) / sizeof(rules[0]); i++) {
        result = rules[i](bundle, index);
    }
    return result;
}

BUNDLE_CHECK_EACH(CHECK_TENANTS, check_tenant);

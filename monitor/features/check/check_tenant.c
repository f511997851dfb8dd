/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "core/feature.h"
#include "features/check/words.h"

#define TENANT_FLAGS                                                                               \
    (COTENANT_TENANT_AUTOSTART | COTENANT_TENANT_FP | COTENANT_TENANT_UART |                       \
     COTENANT_TENANT_RESTART_ON_CRASH | COTENANT_TENANT_RESTART_ON_SHUTDOWN |                      \
     COTENANT_TENANT_DOORBELLS | COTENANT_TENANT_TRUSTED | COTENANT_TENANT_MACHINE |               \
     COTENANT_TENANT_KEEP_CODE | COTENANT_TENANT_S_MODE | COTENANT_TENANT_AWAITS_SERVER |          \
     (HAS(vector) ? COTENANT_TENANT_VECTOR : 0))
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

static uint32_t check_name(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE_FIELD(check_is_name(tenant->name), TENANT_NAME, NOT_A_NAME);
    for (uint32_t other = 0; other < index; other++) {
        REQUIRE_FIELD(!names_equal(tenant, &bundle->tenants[other]), TENANT_NAME, USED_TWICE);
    }
    return CHECK_IS_GOOD;
}

static uint32_t check_vharts(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE_FIELD(tenant->vhart_count >= 1 && tenant->vhart_first < bundle->vhart_count &&
                      tenant->vhart_count <= bundle->vhart_count - tenant->vhart_first,
                  TENANT_VHART_COUNT, OUT_OF_RANGE);
    return CHECK_IS_GOOD;
}

static uint32_t check_memory(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_board *board = &bundle->board;

    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct bundle_range *range = &bundle->tenants[index].memory[i];

        REQUIRE_FIELD(range->size == 0 || (check_aligned(range->base, CHECK_PAGE_SIZE) &&
                                           check_aligned(range->size, CHECK_PAGE_SIZE) &&
                                           check_contains(board->ram_base, board->ram_size,
                                                          range->base, range->size)),
                      TENANT_MEMORY, BAD_OR_OUTSIDE_RAM);
        REQUIRE_FIELD(
            !check_overlaps(range->base, range->size, board->monitor_base, board->monitor_size),
            TENANT_MEMORY, OVERLAPS_THE_MONITOR);
        for (uint32_t other = 0; other <= index; other++) {
            for (unsigned j = 0; j < COTENANT_MAX_MEMORY_RANGES; j++) {
                const struct bundle_range *theirs = &bundle->tenants[other].memory[j];

                REQUIRE_FIELD(
                    (other == index && j == i) ||
                        !check_overlaps(range->base, range->size, theirs->base, theirs->size),
                    TENANT_MEMORY, OVERLAPS_ANOTHER_RANGE);
            }
        }
    }
    return CHECK_IS_GOOD;
}

static uint32_t check_parts(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    for (unsigned i = 0; i < COTENANT_MAX_IMAGE_PARTS; i++) {
        const struct bundle_part *part = &tenant->parts[i];

        if (part->memory_size == 0 && part->file_size == 0) {
            continue;
        }
        REQUIRE_FIELD(part->file_size <= part->memory_size, TENANT_PARTS_FILE_SIZE,
                      ABOVE_MEMORY_SIZE);
        REQUIRE_FIELD(check_aligned(part->destination, 8) &&
                          in_memory(tenant, part->destination, part->memory_size),
                      TENANT_PARTS_DESTINATION, BAD_OR_OUTSIDE_TENANT);
        REQUIRE_FIELD(
            part->file_size == 0 ||
                (part->store_offset >= sizeof(*bundle) && check_aligned(part->store_offset, 8) &&
                 check_contains(0, bundle->total_size, part->store_offset, part->file_size)),
            TENANT_PARTS_STORE_OFFSET, BAD_OR_OUTSIDE_BUNDLE);
    }
    return CHECK_IS_GOOD;
}

static uint32_t check_sources(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE_FIELD(!has_source(tenant, 0), TENANT_SOURCES, NO_SUCH_SOURCE);
    for (uint32_t source = bundle->board.plic_sources; source < COTENANT_MAX_SOURCES; source++) {
        REQUIRE_FIELD(!has_source(tenant, source), TENANT_SOURCES, MORE_THAN_THE_BOARD);
    }
    REQUIRE_FIELD(bundle->board.uart_kind == COTENANT_UART_NONE ||
                      !has_source(tenant, bundle->board.uart_source),
                  TENANT_SOURCES, HOLDS_THE_MONITOR_UART);
    for (uint32_t other = 0; other < index; other++) {
        for (unsigned word = 0; word < COTENANT_SOURCE_WORDS; word++) {
            REQUIRE_FIELD(check_share_a_group(tenant, &bundle->tenants[other]) ||
                              (tenant->sources[word] & bundle->tenants[other].sources[word]) == 0,
                          TENANT_SOURCES, USED_TWICE);
        }
    }
    return CHECK_IS_GOOD;
}

/* Virtual registers lie outside of the RAM: the tenant's accesses to them have to trap. */
static uint32_t check_virtual_devices(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    const struct bundle_board *board = &bundle->board;

    REQUIRE_FIELD(tenant->plic_base == 0 || tenant->plic_base == board->plic_base, TENANT_PLIC_BASE,
                  NOT_WHERE_THE_BOARD_HAS_IT);
    REQUIRE_FIELD(HAS(plic) ||
                      (tenant->plic_base == 0 && (tenant->flags & COTENANT_TENANT_UART) == 0),
                  TENANT_PLIC_BASE, BUILT_WITHOUT);
    if ((tenant->flags & COTENANT_TENANT_UART) == 0) {
        return CHECK_IS_GOOD;
    }
    REQUIRE_FIELD(tenant->uart_source != 0 && tenant->uart_source < board->plic_sources,
                  TENANT_UART_SOURCE, NO_SUCH_SOURCE);
    REQUIRE_FIELD(!has_source(tenant, tenant->uart_source), TENANT_UART_SOURCE, OF_A_DEVICE);
    REQUIRE_FIELD(
        tenant->uart_base != 0 &&
            check_contains(0, CHECK_ADDRESS_LIMIT, tenant->uart_base, VIRTUAL_UART_SIZE) &&
            !check_overlaps(tenant->uart_base, VIRTUAL_UART_SIZE, board->ram_base, board->ram_size),
        TENANT_UART_BASE, IN_RAM_OR_BEYOND);
    return CHECK_IS_GOOD;
}

static uint32_t check_watch(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    const struct bundle_board *board = &bundle->board;
    uint64_t base = tenant->watchdog_base;

    REQUIRE_FIELD(tenant->watch_policy <= COTENANT_WATCH_STOP, TENANT_WATCH_POLICY, UNKNOWN);
    REQUIRE_FIELD(tenant->watch_within_us >= COTENANT_WATCH_LEAST_US ||
                      (tenant->watch_within_us == 0 && tenant->watch_policy == COTENANT_WATCH_OFF),
                  TENANT_WATCH_WITHIN_US, OUT_OF_RANGE);
    REQUIRE_FIELD(
        base == 0 ||
            (check_contains(0, CHECK_ADDRESS_LIMIT, base, VIRTUAL_WATCHDOG_SIZE) &&
             check_aligned(base, VIRTUAL_WATCHDOG_SIZE) &&
             !check_overlaps(base, VIRTUAL_WATCHDOG_SIZE, board->ram_base, board->ram_size)),
        TENANT_WATCHDOG_BASE, IN_RAM_OR_BEYOND);
    return CHECK_IS_GOOD;
}

static uint32_t check_group(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE_FIELD(tenant->group == COTENANT_NONE || tenant->group < COTENANT_MAX_TENANTS,
                  TENANT_GROUP, OUT_OF_RANGE);
    REQUIRE_FIELD((tenant->may_see | tenant->may_control) >> bundle->tenant_count == 0,
                  TENANT_MAY_SEE, NO_SUCH_TENANT);
    REQUIRE_FIELD(tenant->refusal <= COTENANT_REFUSAL_FORCE, TENANT_REFUSAL, UNKNOWN);
    REQUIRE_FIELD(tenant->group == COTENANT_NONE
                      ? tenant->patience_ms == 0
                      : tenant->patience_ms >= 1 && tenant->patience_ms <= MOST_PATIENCE_MS,
                  TENANT_PATIENCE_MS, OUT_OF_RANGE);
    return CHECK_IS_GOOD;
}

static uint32_t check_start(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE_FIELD((tenant->flags & ~(uint32_t)TENANT_FLAGS) == 0, TENANT_FLAGS, UNKNOWN);
    REQUIRE_FIELD((tenant->flags & COTENANT_TENANT_FP) == 0 ||
                      (bundle->board.flags & COTENANT_BOARD_FP) != 0,
                  TENANT_FLAGS, BOARD_WITHOUT_FP);
    REQUIRE_FIELD((tenant->flags & COTENANT_TENANT_FP) == 0 || HAS(fp), TENANT_FLAGS,
                  BUILT_WITHOUT);
    REQUIRE_FIELD(in_memory(tenant, tenant->entry, 4) && check_aligned(tenant->entry, 2),
                  TENANT_ENTRY, BAD_OR_OUTSIDE_TENANT);
    REQUIRE_FIELD(tenant->devicetree == 0 || (check_aligned(tenant->devicetree, 8) &&
                                              in_memory(tenant, tenant->devicetree, 8)),
                  TENANT_DEVICETREE, BAD_OR_OUTSIDE_TENANT);
    return CHECK_IS_GOOD;
}

static struct check_result check_tenant(const struct bundle *bundle, uint32_t index)
{
    static uint32_t (*const rules[])(const struct bundle *bundle, uint32_t index) = {
        check_name,    check_vharts,          check_memory, check_parts, check_start,
        check_sources, check_virtual_devices, check_group,  check_watch,
    };
    uint32_t refusal = CHECK_IS_GOOD;

    for (unsigned i = 0; refusal == CHECK_IS_GOOD && i < sizeof(rules) / sizeof(rules[0]); i++) {
        refusal = rules[i](bundle, index);
    }
    return check_in_words(refusal, index);
}

BUNDLE_CHECK_EACH(CHECK_TENANTS, check_tenant);

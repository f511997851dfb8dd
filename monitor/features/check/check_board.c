/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "core/feature.h"
#include "device/plic_map.h"
#include "features/check/words.h"

#define BOARD_FLAGS                                                                                \
    (COTENANT_BOARD_SSTC | COTENANT_BOARD_ENVCFG | COTENANT_BOARD_FP | COTENANT_BOARD_SVPBMT |     \
     COTENANT_BOARD_ZICBO | COTENANT_BOARD_PLIC_CHECKED | COTENANT_BOARD_VECTOR)

/* RISC-V ACLINT specification 1.0: registers for hart ids up to this one. */
#define MOST_HART_ID 4094

static uint32_t check_places(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;

    REQUIRE_FIELD(board->ram_size != 0 &&
                      check_contains(0, CHECK_ADDRESS_LIMIT, board->ram_base, board->ram_size),
                  BOARD_RAM_SIZE, EMPTY_OR_BEYOND);
    REQUIRE_FIELD(check_aligned(board->monitor_base, CHECK_PAGE_SIZE), BOARD_MONITOR_BASE,
                  MISALIGNED);
    REQUIRE_FIELD(
        check_contains(board->ram_base, board->ram_size, board->monitor_base, board->monitor_size),
        BOARD_MONITOR_BASE, OUTSIDE_RAM);
    REQUIRE_FIELD(board->monitor_size >= monitor_size &&
                      board->monitor_size - monitor_size >= bundle->total_size,
                  BOARD_MONITOR_SIZE, TOO_SMALL);
    for (unsigned device = 0; device < CHECK_DEVICES; device++) {
        struct bundle_range range = check_device_range(board, (enum check_device)device);

        REQUIRE_FIELD(check_contains(0, CHECK_ADDRESS_LIMIT, range.base, range.size) &&
                          !check_overlaps(range.base, range.size, board->ram_base, board->ram_size),
                      BOARD_ANY_BASE, IN_RAM_OR_BEYOND);
    }
    return CHECK_IS_GOOD;
}

static uint32_t check_devices(const struct bundle_board *board)
{
    REQUIRE_FIELD(board->timebase_hz >= 32768, BOARD_TIMEBASE_HZ, OUT_OF_RANGE);
    REQUIRE_FIELD(board->mtime_address != 0 && check_aligned(board->mtime_address, 8),
                  BOARD_MTIME_ADDRESS, NONE_OR_MISALIGNED);
    REQUIRE_FIELD(board->mtimecmp_base != 0 && check_aligned(board->mtimecmp_base, 8),
                  BOARD_MTIMECMP_BASE, NONE_OR_MISALIGNED);
    REQUIRE_FIELD(check_aligned(board->msip_base, 4), BOARD_MSIP_BASE, MISALIGNED);
    REQUIRE_FIELD(board->plic_base != 0 && check_aligned(board->plic_base, CHECK_PAGE_SIZE),
                  BOARD_PLIC_BASE, NONE_OR_MISALIGNED);
    REQUIRE_FIELD(board->plic_sources <= COTENANT_MAX_SOURCES, BOARD_PLIC_SOURCES, OUT_OF_RANGE);
    REQUIRE_FIELD(board->uart_kind < COTENANT_UART_SIFIVE ||
                      (board->uart_kind == COTENANT_UART_SIFIVE && HAS(sifive_uart)) ||
                      (board->uart_kind == COTENANT_UART_NS16550_32 && HAS(uart32)),
                  BOARD_UART_KIND, NO_DRIVER_FOR_IT);
    REQUIRE_FIELD(board->uart_register_shift <= 8, BOARD_UART_REGISTER_SHIFT, OUT_OF_RANGE);
    REQUIRE_FIELD(board->uart_kind == COTENANT_UART_NONE || board->uart_base != 0, BOARD_UART_BASE,
                  NONE_OR_MISALIGNED);
    REQUIRE_FIELD(board->uart_source == 0 ? board->uart_kind == COTENANT_UART_NONE
                                          : board->uart_source < board->plic_sources,
                  BOARD_UART_SOURCE, NO_SUCH_SOURCE);
    REQUIRE_FIELD(board->reset_kind <= COTENANT_RESET_SIFIVE_TEST, BOARD_RESET_KIND,
                  NO_DRIVER_FOR_IT);
    REQUIRE_FIELD(board->reset_kind == COTENANT_RESET_NONE ||
                      (board->reset_base != 0 && check_aligned(board->reset_base, 4)),
                  BOARD_RESET_BASE, NONE_OR_MISALIGNED);
    REQUIRE_FIELD(board->bus_kind == COTENANT_BUS_NONE ||
                      (board->bus_kind == COTENANT_BUS_MPFS_MPU && HAS(bus_protection)),
                  BOARD_BUS_KIND, NO_DRIVER_FOR_IT);
    REQUIRE_FIELD(board->bus_kind == COTENANT_BUS_NONE ||
                      (board->bus_base != 0 && check_aligned(board->bus_base, CHECK_PAGE_SIZE)),
                  BOARD_BUS_BASE, NONE_OR_MISALIGNED);
    REQUIRE_FIELD((board->flags & ~(uint32_t)BOARD_FLAGS) == 0, BOARD_FLAGS, UNKNOWN);
    REQUIRE_FIELD((board->flags & COTENANT_BOARD_SSTC) == 0 ||
                      (board->flags & COTENANT_BOARD_ENVCFG) != 0,
                  BOARD_FLAGS, STIMECMP_NEEDS_MENVCFG);
    return CHECK_IS_GOOD;
}

static bool context_is_valid(uint32_t context)
{
    return context == COTENANT_NONE || context < PLIC_CONTEXTS;
}

static bool contexts_meet(uint32_t a, uint32_t b)
{
    return a != COTENANT_NONE && a == b;
}

static uint32_t check_hart(const struct bundle_board *board, uint32_t index)
{
    const struct bundle_hart *hart = &board->harts[index];

    REQUIRE_FIELD(hart->id <= MOST_HART_ID, BOARD_HARTS_ID, OUT_OF_RANGE);
    REQUIRE_FIELD(context_is_valid(hart->plic_m_context), BOARD_HARTS_PLIC_M_CONTEXT, OUT_OF_RANGE);
    REQUIRE_FIELD(context_is_valid(hart->plic_s_context), BOARD_HARTS_PLIC_S_CONTEXT, OUT_OF_RANGE);
    REQUIRE_FIELD(!contexts_meet(hart->plic_m_context, hart->plic_s_context),
                  BOARD_HARTS_PLIC_S_CONTEXT, USED_TWICE);
    /* Through it come the monitor's UART and the sources of all tenants but one. */
    REQUIRE_FIELD(index != board->boot_hart || hart->plic_m_context != COTENANT_NONE,
                  BOARD_HARTS_PLIC_M_CONTEXT, NEEDED_AT_BOOT);
    for (uint32_t i = 0; i < index; i++) {
        const struct bundle_hart *other = &board->harts[i];

        REQUIRE_FIELD(hart->id != other->id, BOARD_HARTS_ID, USED_TWICE);
        REQUIRE_FIELD(!contexts_meet(hart->plic_m_context, other->plic_m_context) &&
                          !contexts_meet(hart->plic_m_context, other->plic_s_context),
                      BOARD_HARTS_PLIC_M_CONTEXT, USED_TWICE);
        REQUIRE_FIELD(!contexts_meet(hart->plic_s_context, other->plic_m_context) &&
                          !contexts_meet(hart->plic_s_context, other->plic_s_context),
                      BOARD_HARTS_PLIC_S_CONTEXT, USED_TWICE);
    }
    return CHECK_IS_GOOD;
}

static uint32_t check_harts(const struct bundle_board *board)
{
    REQUIRE_FIELD(board->hart_count >= 1 && board->hart_count <= COTENANT_MAX_HARTS,
                  BOARD_HART_COUNT, OUT_OF_RANGE);
    REQUIRE_FIELD(board->hart_count == 1 || HAS(harts), BOARD_HART_COUNT, BUILT_WITHOUT);
    REQUIRE_FIELD(board->hart_count == 1 || board->msip_base != 0, BOARD_MSIP_BASE,
                  NEEDED_BY_HARTS);
    REQUIRE_FIELD(board->boot_hart < board->hart_count, BOARD_BOOT_HART, NO_SUCH_HART);
    REQUIRE_FIELD(board->pmp_entries >= 1 && board->pmp_entries <= COTENANT_PMP_ENTRIES,
                  BOARD_PMP_ENTRIES, OUT_OF_RANGE);
    REQUIRE_FIELD(board->pmp_grain >= 4 && (board->pmp_grain & (board->pmp_grain - 1)) == 0,
                  BOARD_PMP_GRAIN, NOT_A_POWER_OF_TWO);
    for (uint32_t i = 0; i < board->hart_count; i++) {
        uint32_t refusal = check_hart(board, i);

        if (refusal != CHECK_IS_GOOD) {
            return refusal | (i + 1) << CHECK_INDEX_SHIFT;
        }
    }
    return CHECK_IS_GOOD;
}

static struct check_result check_board(const struct bundle *bundle, uint64_t monitor_size)
{
    uint32_t refusal = check_devices(&bundle->board);

    if (refusal == CHECK_IS_GOOD) {
        refusal = check_harts(&bundle->board);
    }
    if (refusal == CHECK_IS_GOOD) {
        refusal = check_places(bundle, monitor_size);
    }
    return check_in_words(refusal, (long)(refusal >> CHECK_INDEX_SHIFT) - 1);
}

BUNDLE_CHECK(CHECK_BOARD, check_board);

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "core/feature.h"
#include "device/plic_map.h"

#define BOARD_FLAGS                                                                                \
    (COTENANT_BOARD_SSTC | COTENANT_BOARD_ENVCFG | COTENANT_BOARD_FP | COTENANT_BOARD_SVPBMT |     \
     COTENANT_BOARD_ZICBO | COTENANT_BOARD_PLIC_CHECKED)

/* RISC-V ACLINT specification 1.0: registers for hart ids up to this one. */
#define MOST_HART_ID 4094

static struct check_result check_places(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;

    REQUIRE(board->ram_size != 0 &&
                check_contains(0, CHECK_ADDRESS_LIMIT, board->ram_base, board->ram_size),
            "board.ram_size: empty or beyond the address space", -1);
    REQUIRE(check_aligned(board->monitor_base, CHECK_PAGE_SIZE),
            "board.monitor_base: not 4096-aligned", -1);
    REQUIRE(
        check_contains(board->ram_base, board->ram_size, board->monitor_base, board->monitor_size),
        "board.monitor_base: outside of the board's RAM", -1);
    REQUIRE(board->monitor_size >= monitor_size &&
                board->monitor_size - monitor_size >= bundle->total_size,
            "board.monitor_size: too small for monitor and images", -1);
    for (unsigned device = 0; device < CHECK_DEVICES; device++) {
        struct bundle_range range = check_device_range(board, (enum check_device)device);

        REQUIRE(check_contains(0, CHECK_ADDRESS_LIMIT, range.base, range.size) &&
                    !check_overlaps(range.base, range.size, board->ram_base, board->ram_size),
                "board.*_base: a device inside the RAM or beyond the address space", -1);
    }
    return check_good();
}

static struct check_result check_devices(const struct bundle_board *board)
{
    REQUIRE(board->timebase_hz >= 32768, "board.timebase_hz: below 32768", -1);
    REQUIRE(board->mtime_address != 0 && check_aligned(board->mtime_address, 8),
            "board.mtime_address: no usable timer", -1);
    REQUIRE(board->mtimecmp_base != 0 && check_aligned(board->mtimecmp_base, 8),
            "board.mtimecmp_base: no usable timer", -1);
    REQUIRE(check_aligned(board->msip_base, 4), "board.msip_base: misaligned", -1);
    REQUIRE(board->plic_base != 0 && check_aligned(board->plic_base, CHECK_PAGE_SIZE),
            "board.plic_base: no usable interrupt controller", -1);
    REQUIRE(board->plic_sources <= COTENANT_MAX_SOURCES, "board.plic_sources: out of range", -1);
    REQUIRE(board->uart_kind < COTENANT_UART_SIFIVE ||
                (board->uart_kind == COTENANT_UART_SIFIVE && HAS(sifive_uart)),
            "board.uart_kind: no driver for it", -1);
    REQUIRE(board->uart_register_shift <= 8, "board.uart_register_shift: above 8", -1);
    REQUIRE(board->uart_kind == COTENANT_UART_NONE || board->uart_base != 0,
            "board.uart_base: no usable UART", -1);
    REQUIRE(board->uart_kind == COTENANT_UART_NONE ||
                (board->uart_source != 0 && board->uart_source < board->plic_sources),
            "board.uart_source: no such source", -1);
    REQUIRE(board->reset_kind <= COTENANT_RESET_SIFIVE_TEST, "board.reset_kind: no driver for it",
            -1);
    REQUIRE(board->reset_kind == COTENANT_RESET_NONE ||
                (board->reset_base != 0 && check_aligned(board->reset_base, 4)),
            "board.reset_base: no usable reset device", -1);
    REQUIRE((board->flags & ~(uint32_t)BOARD_FLAGS) == 0, "board.flags: unknown", -1);
    REQUIRE((board->flags & COTENANT_BOARD_SSTC) == 0 ||
                (board->flags & COTENANT_BOARD_ENVCFG) != 0,
            "board.flags: stimecmp needs menvcfg", -1);
    return check_good();
}

static bool context_is_valid(uint32_t context)
{
    return context == COTENANT_NONE || context < PLIC_CONTEXTS;
}

static bool contexts_meet(uint32_t a, uint32_t b)
{
    return a != COTENANT_NONE && a == b;
}

static struct check_result check_hart(const struct bundle_board *board, uint32_t index)
{
    const struct bundle_hart *hart = &board->harts[index];

    REQUIRE(hart->id <= MOST_HART_ID, "board.harts.id: out of range", index);
    REQUIRE(context_is_valid(hart->plic_m_context), "board.harts.plic_m_context: out of range",
            index);
    REQUIRE(context_is_valid(hart->plic_s_context), "board.harts.plic_s_context: out of range",
            index);
    REQUIRE(!contexts_meet(hart->plic_m_context, hart->plic_s_context),
            "board.harts.plic_s_context: used twice", index);
    for (uint32_t i = 0; i < index; i++) {
        const struct bundle_hart *other = &board->harts[i];

        REQUIRE(hart->id != other->id, "board.harts.id: used twice", index);
        REQUIRE(!contexts_meet(hart->plic_m_context, other->plic_m_context) &&
                    !contexts_meet(hart->plic_m_context, other->plic_s_context),
                "board.harts.plic_m_context: used twice", index);
        REQUIRE(!contexts_meet(hart->plic_s_context, other->plic_m_context) &&
                    !contexts_meet(hart->plic_s_context, other->plic_s_context),
                "board.harts.plic_s_context: used twice", index);
    }
    return check_good();
}

static struct check_result check_harts(const struct bundle_board *board)
{
    struct check_result result = check_good();

    REQUIRE(board->hart_count >= 1 && board->hart_count <= COTENANT_MAX_HARTS,
            "board.hart_count: out of range", -1);
    REQUIRE(board->hart_count == 1 || HAS(harts),
            "board.hart_count: this monitor is built for one hart", -1);
    REQUIRE(board->hart_count == 1 || board->msip_base != 0,
            "board.msip_base: harts cannot reach each other without it", -1);
    REQUIRE(board->boot_hart < board->hart_count, "board.boot_hart: no such hart", -1);
    REQUIRE(board->pmp_entries >= 1 && board->pmp_entries <= COTENANT_PMP_ENTRIES,
            "board.pmp_entries: out of range", -1);
    REQUIRE(board->pmp_grain >= 4 && (board->pmp_grain & (board->pmp_grain - 1)) == 0,
            "board.pmp_grain: not a power of two from 4 on", -1);
    for (uint32_t i = 0; result.problem == NULL && i < board->hart_count; i++) {
        result = check_hart(board, i);
    }
    if (result.problem == NULL) {
        /* Through it come the monitor's UART and the sources of all tenants but one. */
        REQUIRE(board->harts[board->boot_hart].plic_m_context != COTENANT_NONE,
                "board.harts.plic_m_context: the boot hart needs one", board->boot_hart);
    }
    return result;
}

static struct check_result check_board(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_devices(&bundle->board);

    if (result.problem == NULL) {
        result = check_harts(&bundle->board);
    }
    return result.problem == NULL ? check_places(bundle, monitor_size) : result;
}

BUNDLE_CHECK(CHECK_BOARD, check_board);

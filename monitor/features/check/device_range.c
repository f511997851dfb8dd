/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"

#include "device/plic_map.h"
#include "device/uart.h"

/* Bytes of the registers of MPUs, and of what is between them and changes what addresses mean. */
#define MPFS_MPU_SIZE 0x1000

/* How many bytes the registers of a UART of this kind take with this shift; 0: it has none. */
static uint64_t uart_size(uint32_t kind, uint32_t shift)
{
    switch (kind) {
    case COTENANT_UART_NS16550:
        return (uint64_t)NS16550_REGISTERS << shift;
    case COTENANT_UART_NS16550_32:
        return (uint64_t)NS16550_32_REGISTERS << shift;
    case COTENANT_UART_SIFIVE:
        return SIFIVE_UART_SIZE;
    default:
        return 0;
    }
}

/* At least as many as the limit, so that no hart's timer can be opened because it is not listed. */
static uint64_t hart_id_count(const struct bundle_board *board)
{
    uint64_t count = COTENANT_MAX_HARTS;

    for (uint32_t i = 0; i < board->hart_count; i++) {
        if (board->harts[i].id >= count) {
            count = board->harts[i].id + 1ul;
        }
    }
    return count;
}

struct bundle_range check_device_range(const struct bundle_board *board, enum check_device device)
{
    struct bundle_range none = {0, 0};

    switch (device) {
    case CHECK_MTIME:
        return (struct bundle_range){board->mtime_address, 8};
    case CHECK_MTIMECMP:
        return (struct bundle_range){board->mtimecmp_base, 8 * hart_id_count(board)};
    case CHECK_MSIP:
        return board->msip_base == 0
                   ? none
                   : (struct bundle_range){board->msip_base, 4 * hart_id_count(board)};
    case CHECK_PLIC:
        return (struct bundle_range){board->plic_base, PLIC_SIZE};
    case CHECK_UART:
        return board->uart_kind == COTENANT_UART_NONE
                   ? none
                   : (struct bundle_range){board->uart_base,
                                           uart_size(board->uart_kind, board->uart_register_shift)};
    case CHECK_RESET:
        return board->reset_kind == COTENANT_RESET_NONE
                   ? none
                   : (struct bundle_range){board->reset_base, 4};
    case CHECK_BUS:
        return board->bus_kind == COTENANT_BUS_NONE
                   ? none
                   : (struct bundle_range){board->bus_base, MPFS_MPU_SIZE};
    default:
        return none;
    }
}

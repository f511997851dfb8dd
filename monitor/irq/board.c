/* SPDX-License-Identifier: BSD-2-Clause */
#include "irq/board.h"

#include "core/recorder.h"
#include "core/tenant.h"

#define UART_PRIORITY 1

struct plic board_plic;
/* Takes what the monitor's own UART has. */
static void (*uart_interrupt)(void);

/* At boot: compiled for size. */
__attribute__((cold)) void board_interrupts_init(const struct hart *boot_hart,
                                                 void (*on_uart_interrupt)(void))
{
    const struct bundle_board *board = &bundle->board;

    uart_interrupt = on_uart_interrupt;
    plic_init(&board_plic, board->plic_base, board->plic_sources);
    for (uint32_t i = 0; i < board->hart_count; i++) {
        if (board->harts[i].plic_m_context != COTENANT_NONE) {
            plic_disable_context(&board_plic, board->harts[i].plic_m_context);
        }
        if (board->harts[i].plic_s_context != COTENANT_NONE) {
            plic_disable_context(&board_plic, board->harts[i].plic_s_context);
            plic_set_threshold(&board_plic, board->harts[i].plic_s_context, PLIC_THRESHOLD_CLOSED);
        }
    }
    if (board->uart_kind != COTENANT_UART_NONE) {
        plic_set_priority(&board_plic, board->uart_source, UART_PRIORITY);
        plic_set_enable(&board_plic, boot_hart->plic_m_context, board->uart_source, true);
    }
}

/* No other source has been opened. */
__attribute__((weak)) void board_take_source(struct hart *hart, uint32_t source)
{
    (void)hart;
    (void)source;
}

void board_external_interrupt(struct hart *hart)
{
    uint32_t source = plic_claim(&board_plic, hart->plic_m_context);

    if (source == 0 || source != bundle->board.uart_source) {
        board_take_source(hart, source);
        return;
    }
    record_source(hart, source);
    uart_interrupt();
    plic_complete(&board_plic, hart->plic_m_context, source);
}

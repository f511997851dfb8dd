/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts of the board's PLIC. Those of its UART are the monitor's own; all others are for the
 * feature that hands devices to tenants. Interrupts off, shared lock held.
 */
#ifndef COTENANT_IRQ_BOARD_H
#define COTENANT_IRQ_BOARD_H

#include "core/hart.h"
#include "device/plic.h"

extern struct plic board_plic;

/* Silences the PLIC and opens the monitor's UART, whose interrupt calls `on_uart_interrupt`. */
void board_interrupts_init(const struct hart *boot_hart, void (*on_uart_interrupt)(void));

/* The machine external interrupt of the hart: claims one source and passes it on. */
void board_external_interrupt(struct hart *hart);

/*
 * The hart has claimed a source that is not the monitor's, or none (0). The feature that opens
 * sources replaces the function, for which a table would take too long.
 */
void board_take_source(struct hart *hart, uint32_t source);

#endif

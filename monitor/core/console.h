/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console service: moves bytes between the board's UART and the consoles of all tenants, in
 * steps of core/work.h. Interrupts off, shared lock held unless something else is said.
 */
#ifndef COTENANT_CORE_CONSOLE_H
#define COTENANT_CORE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hart.h"

/* Opens the board's UART and the multiplexer as the bundle says. After tenants_init(). */
void console_init(struct hart *hart);

/*
 * Does a step, which was due by the hart's console_due, and sets that anew. It ends early when a
 * machine interrupt other than the one that led here becomes pending, so that nobody waits for more
 * than a byte.
 */
void console_step(uint64_t now);

/* The board's UART has raised its interrupt: bytes have arrived. */
void console_input_ready(void);

/* Says `what` and three numbers on the UART without any of the above, for a monitor that failed. */
void console_failure(const char *what, uint64_t cause, uint64_t pc, uint64_t value);

#endif

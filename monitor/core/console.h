/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console service: moves bytes between the board's UART and the consoles of all tenants, in
 * steps of core/work.h. Interrupts off, shared lock held unless something else is said.
 */
#ifndef COTENANT_CORE_CONSOLE_H
#define COTENANT_CORE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the board's UART and the multiplexer as the bundle says. After tenants_init(). */
void console_init(void);

/* From now on no output is held back. Returns whether all of it has been sent. */
bool console_is_drained(void);

/* The board's UART has raised its interrupt: bytes have arrived. */
void console_input_ready(void);

/* Prints `what` and three numbers on the UART without any of the above, for internal failures. */
void console_failure(const char *what, uint64_t cause, uint64_t pc, uint64_t value);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tenant's console through the SBI debug console (DBCN, section 12), or through the legacy
 * console where the firmware has no DBCN. No lock: with several tasks, one of them prints.
 */
#ifndef COTENANT_RT_CONSOLE_H
#define COTENANT_RT_CONSOLE_H

#include <stddef.h>

/* Finds out what the firmware offers. Called once by rt_main() before anything is printed. */
void console_init(void);

/*
 * Text goes to the tenant's result port of the RTL simulation (bench/results.h) if it has one,
 * where there is no console. Called once by rt_main() when the device tree has been read.
 */
void console_find_port(void);

/*
 * Writes `length` bytes at `bytes`. Returns when all were taken: the firmware may take fewer than
 * asked, even none when its buffer is full, and is asked again. Bytes are dropped only if the
 * firmware answers with an error.
 */
void console_write(const char *bytes, size_t length);

/*
 * The same, but where the firmware has no room for the rest, it returns. How many are done with:
 * taken, or dropped after an error.
 */
size_t console_offer(const char *bytes, size_t length);

/*
 * `wait` is called whenever the firmware has no room, before it is asked again: a place to sleep,
 * instead of keeping the hart busy. NULL, as at the start: ask again at once.
 */
void console_set_wait(void (*wait)(void));

/* Reads at most `length` bytes that were typed; returns how many, 0 if none are there. */
size_t console_read(char *bytes, size_t length);

/* Formatted output: see format.h for what `format` may contain. */
__attribute__((format(printf, 1, 2))) void print(const char *format, ...);

#endif

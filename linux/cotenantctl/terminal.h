/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal as a place where keys come one by one; put back whatever ends the program. */
#ifndef COTENANTCTL_TERMINAL_H
#define COTENANTCTL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Standard input is a terminal, and this program's: else it would be stopped if it changed it. */
bool terminal_is_ours(void);

/* From now on keys come at once, without echo. False: standard input is no terminal. */
bool terminal_open(void);

/* Waits up to `milliseconds` for input. Returns bytes, 0 for none, -1 at the end of the input. */
int terminal_read(void *bytes, size_t room, int milliseconds);

/* Lines that the terminal has; 24 if it does not tell. */
unsigned terminal_lines(void);

#endif

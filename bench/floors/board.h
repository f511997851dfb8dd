/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between the machines: linked with the one that the program is for. */
#ifndef COTENANT_FLOORS_BOARD_H
#define COTENANT_FLOORS_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* The hart has senvcfg and Sstc. */
extern const bool board_is_new;

/* How far the deadlines of a world are apart, ticks of mtime. */
extern const uint64_t board_period;

void board_put(char character);

/* Ends the machine. */
void board_end(void);

#endif

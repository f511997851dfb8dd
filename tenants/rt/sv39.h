/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables of a test payload (RISC-V privileged architecture, section 4.4: Sv39). The first 16
 * GiB are mapped to themselves by 1 GiB pages; one window elsewhere can be pointed at anything,
 * foreign memory included. One set of tables, in the payload's own memory. Every hart turns it on
 * for itself; a change of the window is fenced on the hart that makes it, and nowhere else.
 */
#ifndef COTENANT_RT_SV39_H
#define COTENANT_RT_SV39_H

#include <stdint.h>

/* The first virtual address of the window of SV39_LEAF_4K, wherever it is pointed. */
#define SV39_WINDOW (200ul << 30)

/* How the walk through the window goes on or ends. */
enum sv39_window {
    SV39_LEAF_4K,      /* the address is in a 4 KiB page */
    SV39_LEAF_2M,      /* in a 2 MiB page */
    SV39_LEAF_1G,      /* in a 1 GiB page */
    SV39_TABLE_LEVEL1, /* the address is used as the table of the second level */
    SV39_TABLE_LEVEL0, /* the address is used as the table of the last level */
};

/* Turns on translation (satp). */
void sv39_enable(void);

/* Turns it off: addresses are physical again. */
void sv39_disable(void);

/*
 * Points the window at physical `address`, and returns the virtual address that leads there. For a
 * table the address is rounded down to its page, and the virtual one is the first it would map.
 */
uint64_t sv39_open_window(enum sv39_window kind, uint64_t address);

/* Nothing is behind a window of SV39_LEAF_4K any more: an access is a page fault. */
void sv39_close_window(void);

#endif

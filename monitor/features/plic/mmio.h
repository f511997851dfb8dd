/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses at which a tenant finds what the monitor emulates: windows, which register at link
 * time. Those of its virtual 16550 and of its PLIC are in mmio.c.
 */
#ifndef COTENANT_FEATURES_PLIC_MMIO_H
#define COTENANT_FEATURES_PLIC_MMIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/table.h"
#include "core/tenant.h"
#include "entry/trap.h"

enum mmio_result {
    MMIO_DONE,
    MMIO_FAULT, /* no such register: an access fault */
    MMIO_AGAIN, /* some of it is done: the tenant makes the access again */
};

/*
 * The loaded vhart loads or stores `size` (1, 2, 4, 8) bytes at physical address `address`; `value`
 * holds what is stored, in its low bytes, or receives what is loaded.
 */
typedef enum mmio_result mmio_accessor(struct vhart *vhart, uint64_t address, uint32_t size,
                                       bool store, uint64_t *value);

/* Called with interrupts off and the shared lock held, but for `match`. */
struct mmio_window {
    /* `address` is the tenant's, and in it. */
    bool (*match)(const struct tenant *tenant, uint64_t address);
    /*
     * Does what matches. It may get another address of a page in which something matched, and
     * answers MMIO_FAULT there, with nothing done.
     */
    mmio_accessor *access;
    /*
     * NULL, or what accesses come to first that usually give the hart to another vhart: as
     * fast_load() and fast_store(). What it leaves alone comes to `access`.
     */
    world_change (*switches)(struct hart *hart, struct vhart *vhart, uint64_t address, bool store);
};

TABLE(const struct mmio_window, mmio_windows);

/* Registers a window at link time: see core/table.h. */
#define MMIO_WINDOW(match, access)                                                                 \
    static const struct mmio_window match##_window TABLE_ENTRY(mmio_windows) = {match, access, NULL}
#define MMIO_SWITCHING_WINDOW(match, access, switches)                                             \
    static const struct mmio_window match##_window TABLE_ENTRY(mmio_windows) = {match, access,     \
                                                                                switches}

/* The window of the tenant that the address is in, or NULL. */
const struct mmio_window *mmio_window_at(const struct tenant *tenant, uint64_t address);

#endif

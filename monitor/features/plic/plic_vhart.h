/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a vhart's accesses to virtual devices and to its PLIC. */
#ifndef COTENANT_FEATURES_PLIC_PLIC_VHART_H
#define COTENANT_FEATURES_PLIC_PLIC_VHART_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"
#include "features/plic/transmit.h"

struct mmio_window;
struct vplic_vhart;

/*
 * Where a page of a virtual device was found last time; `leaf` is read again before it is believed.
 * That holds for a later life of the tenant too, as in a TLB that a reset leaves as it is. See
 * device_translate().
 */
struct __attribute__((aligned(64))) device_page { /* found by a shift */
    uint64_t page;                                /* virtual page number */
    uint64_t satp;
    uint64_t leaf_address; /* physical; 0: this entry is empty */
    uint64_t leaf;
    uint64_t physical; /* of the page */
    /* The one that the page is in, for all vharts with this physical page; or NULL. */
    const struct mmio_window *window;
};

/* A power of two, a few times the pages that a kernel uses: two at the same place cost a walk each.
 */
#define DEVICE_PAGES 16

struct plic_vhart {
    struct transmit_site transmit; /* first: features/fast_uart/transmit.S */
    struct device_page pages[DEVICE_PAGES];
    /* Physical address at which the tenant has the claim register of the vhart's own context. */
    uint64_t claim_register;
    /* Where its tenant has the virtual UART; size 0: it has none. */
    uint64_t uart_base;
    uint64_t uart_size;
    const struct vplic_vhart *own; /* its part of the tenant's PLIC */
    uint32_t enables_entry;        /* PMP entry of its enable words alone, or COTENANT_NONE */
    /* Line of its M-mode context, of a tenant that has both; atomic. When it changes, the vhart's
     * hart hears vhart_is_routed. */
    bool machine_line;
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one instruction by which a vhart's driver last wrote a byte to its virtual UART, for
 * features/fast_uart, behind HAS(fast_uart): its trap entry does the next one of them by itself.
 */
#ifndef COTENANT_FEATURES_PLIC_TRANSMIT_H
#define COTENANT_FEATURES_PLIC_TRANSMIT_H

#include <stdint.h>

struct vhart;
struct vuart;

struct transmit_site {
    uint64_t address;      /* virtual, of THR */
    uint64_t satp;         /* its bits that count, */
    uint64_t satp_mask;    /* none: nothing is remembered */
    uint64_t leaf_address; /* as in struct device_page */
    uint64_t leaf;
    uint64_t instruction;
    uint64_t reader; /* of transmit.S: what brings the register */
    struct vuart *uart;
};

/*
 * `instruction`, at the loaded vhart's pc, is a store of a byte to THR of the tenant's virtual
 * UART, at virtual address `address` in a page that is remembered if there are page tables. Only on
 * the one hart of a system: on others the ring needs the shared lock.
 */
void transmit_learn(struct vhart *vhart, uint64_t address, uint32_t instruction);

#endif

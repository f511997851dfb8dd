/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/transmit.h"

#include <stddef.h>

#include "arch/csr.h"
#include "core/feature.h"
#include "core/tenant.h"
#include "features/plic/device_pages.h"

/* What transmit.S has as numbers. */
_Static_assert(offsetof(struct plic_vhart, transmit) == 0, "the site");
_Static_assert(offsetof(struct transmit_site, address) == 0, "SITE_ADDRESS");
_Static_assert(offsetof(struct transmit_site, satp) == 8, "SITE_SATP");
_Static_assert(offsetof(struct transmit_site, satp_mask) == 16, "SITE_SATP_MASK");
_Static_assert(offsetof(struct transmit_site, leaf_address) == 24, "SITE_LEAF_ADDRESS");
_Static_assert(offsetof(struct transmit_site, leaf) == 32, "SITE_LEAF");
_Static_assert(offsetof(struct transmit_site, instruction) == 40, "SITE_INSTRUCTION");
_Static_assert(offsetof(struct transmit_site, reader) == 48, "SITE_READER");
_Static_assert(offsetof(struct transmit_site, uart) == 56, "SITE_UART");
_Static_assert(offsetof(struct vuart, transmit.head) == 36, "UART_HEAD");
_Static_assert(offsetof(struct vuart, transmit.tail) == 40, "UART_TAIL");
_Static_assert(offsetof(struct vuart, transmit_left) == 96, "UART_LEFT");
_Static_assert(offsetof(struct vuart, transmit_data) == 100, "UART_DATA");
_Static_assert(VUART_TRANSMIT_SIZE == 1024, "UART_MASK");

#define READER_SIZE 4

/* Of transmit.S: code that brings register n is at n times READER_SIZE. */
extern const char transmit_readers[];

void transmit_learn(struct vhart *vhart, uint64_t address, uint32_t instruction)
{
    struct transmit_site *site = &vhart->plic->transmit;
    const struct device_page *page = device_page_of(vhart, address);
    uint64_t satp = CSR_READ(satp);

    site->satp_mask = 0;
    if (satp >> SATP_MODE_SHIFT == 0) {
        return;
    }
    site->address = address;
    site->leaf_address = page->leaf_address;
    site->leaf = page->leaf;
    site->instruction = instruction;
    site->reader = (uint64_t)transmit_readers + (uint64_t)(instruction >> 20 & 31) * READER_SIZE;
    site->uart = &vhart->tenant->uart;
    /* Entries of kernels are mostly global: valid in all address spaces of the mode. */
    site->satp_mask =
        (page->leaf & GUEST_ENTRY_GLOBAL) != 0 ? UINT64_MAX << SATP_MODE_SHIFT : UINT64_MAX;
    site->satp = satp & site->satp_mask;
}

FEATURE(fast_uart);

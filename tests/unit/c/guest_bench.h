/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a tenant for tests of arch/guest_memory.c. On the host a physical address is the
 * address of the byte in this process, so that the monitor's code runs as it is; the pages around
 * the tenant's memory cannot be read, so that whatever leaves it ends the test.
 */
#ifndef COTENANT_TESTS_GUEST_BENCH_H
#define COTENANT_TESTS_GUEST_BENCH_H

#include "core/tenant.h"
#include "features/plic/plic_vhart.h"

#define GUEST_PAGE 4096
#define GUEST_PAGES 16
/* A virtual device of the tenant, outside of its memory. */
#define GUEST_DEVICE 0x10000000ul
#define GUEST_DEVICE_SIZE 0x100

#define SV39 8
#define SV48 9
#define SV57 10

/* The tenant and its one vhart. */
extern struct tenant guest;
extern struct vhart guest_vhart;
extern struct plic_vhart guest_plic;
extern const struct mmio_window guest_window; /* in which the device is */

/* Makes the tenant with all of its memory zero. */
void guest_reset(void);

/* Physical address of one of its pages, 0..GUEST_PAGES-1; also of the ones at both sides. */
uint64_t guest_page(int number);

/* Stores in one of its pages. */
void guest_store16(uint64_t physical, uint16_t value);
void guest_store64(uint64_t physical, uint64_t value);

/* The value of satp for a root table. */
uint64_t guest_satp(uint64_t mode, uint64_t root);

/* A page table entry. */
uint64_t guest_entry(uint64_t physical, uint64_t flags);

#endif

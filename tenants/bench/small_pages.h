/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sv39 with 4 KiB pages for the tenant's RAM, as a kernel's processes have them, so that the TLBs
 * matter; everything below 1 GiB, where devices are, by one large page. Addresses stay the same.
 */
#ifndef COTENANT_BENCH_SMALL_PAGES_H
#define COTENANT_BENCH_SMALL_PAGES_H

/* The tenant's RAM must lie in one naturally aligned piece of 2 MiB; does nothing otherwise. */
void small_pages_enable(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Five-level page tables (privileged ISA 4.6: Sv57) of the shape that Linux gives its kernel: RAM
 * by 2 MiB pages, the devices that a benchmark touches by 4 KiB pages. Addresses stay the same.
 */
#ifndef COTENANT_BENCH_SV57_H
#define COTENANT_BENCH_SV57_H

#include <stdint.h>

/*
 * Maps the gigabyte that holds this program, and the 4 KiB pages at each of `count` device
 * addresses, which must lie in one naturally aligned piece of 2 MiB; turns translation on.
 */
void sv57_enable(const uint64_t *devices, unsigned count);

#endif

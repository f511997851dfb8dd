/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of zeros in a tenant's memory, which the protocol tells as a number. A place of its own, for
 * the stand-ins of tests.
 */
#ifndef COTENANT_FEATURES_CONTROL_ZEROS_H
#define COTENANT_FEATURES_CONTROL_ZEROS_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes are zero at physical address `source` in front of the first word of 8 that is not:
 * both numbers are multiples of 8.
 */
size_t physical_zeros(uint64_t source, size_t size);

#endif

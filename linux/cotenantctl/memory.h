/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a tenant at rest. */
#ifndef COTENANTCTL_MEMORY_H
#define COTENANTCTL_MEMORY_H

#include "tenants.h"

/*
 * Looks from `address` on, at no more than `length` bytes, for what is not zero: sets `zeros` to
 * the number of zeros that come first. Returns how many bytes come then, which are in
 * link_data.found. `what` is for the sentence that ends the program. Addresses and lengths are
 * multiples of 8.
 */
uint32_t memory_find(const struct tenant *tenant, const char *what, uint64_t address,
                     uint64_t length, uint64_t *zeros);

void memory_clear(const struct tenant *tenant, const char *what, uint64_t address, uint64_t length);

void memory_write(const struct tenant *tenant, const char *what, uint64_t address,
                  const void *bytes, uint32_t length);

#endif

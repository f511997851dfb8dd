/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a tenant at rest. */
#ifndef COTENANTCTL_MEMORY_H
#define COTENANTCTL_MEMORY_H

#include "tenants.h"

/* Fetches bytes; they are in link_data. `what` is for the sentence that ends the program. */
void memory_read(const struct tenant *tenant, const char *what, uint64_t address, uint32_t length);

void memory_write(const struct tenant *tenant, const char *what, uint64_t address,
                  const void *bytes, uint32_t length);

#endif

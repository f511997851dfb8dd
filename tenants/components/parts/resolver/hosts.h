/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of hosts(5). */
#ifndef COTENANT_COMPONENTS_HOSTS_H
#define COTENANT_COMPONENTS_HOSTS_H

#include <stddef.h>
#include <stdint.h>

/* The IPv4 address that a line of the `size` bytes has for `name`, the first byte highest. 0: none.
 */
uint32_t hosts_find(const char *text, size_t size, const char *name);

#endif

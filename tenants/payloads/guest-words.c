/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that loads words of a device which its host serves, and does nothing else: each is two
 * world switches between guest and host.
 */
#include "rt/check.h"
#include "rt/platform.h"

#define LOADS 20000

const char payload_name[] = "guest-words";

void main(void)
{
    volatile uint32_t *device = (volatile uint32_t *)platform.uart_base;

    for (uint32_t i = 0; i < LOADS; i++) {
        check(*device == 0, "load %u is answered with something", i);
    }
    check_pass();
}

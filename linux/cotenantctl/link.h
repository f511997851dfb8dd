/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Talking to the monitor: a request, and its answer, which is believed only as far as it is
 * checked. Nothing here returns if the monitor cannot be reached: the program ends
 * (EXIT_NO_MONITOR).
 */
#ifndef COTENANTCTL_LINK_H
#define COTENANTCTL_LINK_H

#include <stdint.h>

#include "abi/control.h"
#include "abi/dormant.h"

/* Where a tenant with the right to control finds its port. */
#define DEFAULT_PORT "/dev/virtio-ports/cotenant.control"

/* The data of the last answer. */
extern union link_data {
    uint8_t bytes[COTENANT_CONTROL_MOST_DATA];
    uint32_t number;
    struct control_version version;
    struct control_tenant tenant;
    struct control_vhart vhart;
    struct control_text text;
    struct dormant_state dormant;
    struct {
        struct control_found header;
        uint8_t bytes[COTENANT_CONTROL_MOST_FOUND];
    } found;
} link_data;
extern uint32_t link_length;

/* Opens a port or connects to a socket. `seconds`: how long an answer may take. */
void link_open(const char *path, unsigned seconds);

/*
 * Asks, with `length` bytes of data; returns the status, COTENANT_CONTROL_OK to _REFUSED. The
 * answer of a verb that is good has at least `least` bytes: else it is none.
 */
uint16_t link_ask(uint8_t verb, uint32_t tenant, uint32_t item, uint64_t position, const void *data,
                  uint32_t length, uint32_t least);

#endif

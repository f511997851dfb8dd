/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices that a program of another tenant serves: abi/served.h. The registers that the client sees
 * are those of every virtual device, and an access to them never waits for the program. What it
 * offers, and what the client has notified, is kept here; no byte of the client's memory is touched
 * but to check where its queues are.
 *
 * Shared lock held.
 */
#ifndef COTENANT_FEATURES_SERVED_SERVED_H
#define COTENANT_FEATURES_SERVED_SERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/served.h"
#include "features/virtio_console/virtio_console.h"

struct served {
    struct virtio_device *device; /* the client's; NULL: it is not served */
    struct virtio_port *port;     /* the server's */
    uint32_t page;                /* of the server's registers */
    uint32_t events;              /* COTENANT_SERVED_EVENTS */
    bool told;                    /* the byte for them has been sent */
    bool present;
    uint32_t resets;
    uint32_t followed;     /* COTENANT_SERVED_FOLLOWED */
    uint64_t waited_until; /* for it; ticks */
    uint64_t features;
    uint64_t configuration[COTENANT_SERVED_CONFIGURATION_SIZE / sizeof(uint64_t)];
};

/* By the index of the client's device. */
extern struct served served_devices[COTENANT_MAX_VIRTUAL_DEVICES];

/* How many pages of registers a tenant has, by its index. */
extern uint8_t served_pages[COTENANT_MAX_TENANTS];

/* A register of the device's page, as the server loads and stores it. */
uint64_t served_load(struct served *served, uint32_t offset);
void served_store(struct served *served, uint32_t offset, uint64_t value);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of devices that can be guarded: those whose messages contain no addresses of memory,
 * so that the descriptors say all that the device reaches. See types.c for each.
 */
#ifndef COTENANT_FEATURES_GUARD_TYPES_H
#define COTENANT_FEATURES_GUARD_TYPES_H

#include <stdint.h>

/* Queues of a guarded device. */
#define GUARD_MOST_QUEUES 3

/* Behind all registers. */
#define GUARD_NO_FIELD 0x1000

struct guard_type {
    uint64_t features; /* those of the device's own that a driver may have */
    uint8_t id;        /* virtio 1.2, chapter 5 */
    uint8_t queues;
    /*
     * Offset in the configuration space of the 32-bit number of segments that a request may have,
     * which must find room in a queue; GUARD_NO_FIELD: there is none.
     */
    uint16_t segments;
};

/* NULL: devices with this id cannot be guarded. */
const struct guard_type *guard_type_of(uint32_t id);

#endif

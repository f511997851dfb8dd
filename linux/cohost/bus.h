/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of the guest and where it reaches them. */
#ifndef COHOST_BUS_H
#define COHOST_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "ranges.h"

#define BUS_MOST_DEVICES 16
/* Each device has a page. */
#define BUS_PAGE 0x1000

/* A number that the device tree says of a device. */
struct bus_cell {
    const char *name;
    uint32_t value;
};

struct bus_device {
    const char *node; /* in the device tree */
    const char *compatible;
    const struct bus_cell *cells; /* ended by one without a name; NULL: none */
    unsigned source;
    struct range range;
    void *device;
    uint64_t (*load)(void *device, uint64_t offset, unsigned size);
    void (*store)(void *device, uint64_t offset, uint64_t value, unsigned size);
};

extern struct bus_device bus[BUS_MOST_DEVICES];
extern unsigned bus_count;

/* Finds a place for the devices that is neither the guest's memory nor its PLIC. */
void bus_place(const struct range *plic);

/* Adds a device: the source and the range are filled in. Returns the source. */
unsigned bus_add(struct bus_device device);

/* What a vhart loads and stores. False: no device is there. */
bool bus_load(uint64_t address, unsigned size, uint64_t *value);
bool bus_store(uint64_t address, uint64_t value, unsigned size);

#endif

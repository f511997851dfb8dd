/* SPDX-License-Identifier: BSD-2-Clause */
#include "bus.h"

#include "memory.h"
#include "say.h"

#define FIRST_PLACE 0x10000000ull
#define PLACE_SIZE (BUS_MOST_DEVICES * BUS_PAGE)

struct bus_device bus[BUS_MOST_DEVICES];
unsigned bus_count;

static uint64_t place = FIRST_PLACE;

static bool touches(const struct range *range)
{
    return place < range->address + range->size && range->address < place + PLACE_SIZE;
}

void bus_place(const struct range *plic)
{
    bool taken = true;

    for (place = FIRST_PLACE; taken;) {
        taken = touches(plic);
        for (unsigned i = 0; i < memory.count; i++) {
            taken |= touches(&memory.ranges[i]);
        }
        if (taken) {
            place += PLACE_SIZE;
        }
    }
}

unsigned bus_add(struct bus_device device)
{
    if (bus_count == BUS_MOST_DEVICES) {
        fail_start("a guest has at most %u devices", BUS_MOST_DEVICES);
    }
    device.source = bus_count + 1;
    device.range = (struct range){place + bus_count * BUS_PAGE, BUS_PAGE};
    bus[bus_count++] = device;
    return device.source;
}

static const struct bus_device *find(uint64_t address)
{
    uint64_t number = (address - place) / BUS_PAGE;

    return address >= place && number < bus_count ? &bus[number] : NULL;
}

bool bus_load(uint64_t address, unsigned size, uint64_t *value)
{
    const struct bus_device *device = find(address);

    if (device != NULL) {
        *value = device->load(device->device, address - device->range.address, size);
    }
    return device != NULL;
}

bool bus_store(uint64_t address, uint64_t value, unsigned size)
{
    const struct bus_device *device = find(address);

    if (device != NULL) {
        device->store(device->device, address - device->range.address, value, size);
    }
    return device != NULL;
}

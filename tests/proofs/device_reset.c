/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A part of the reset of a tenant's devices, from each place that a part before may have come to.
 * The devices are of any kinds and answer anything.
 */
#include "cases.h"
#include "one_hart.h"

#include "arch/mmio.h"

#include "features/device_reset/device_reset.c"

#define FIRST_BASE 0x10000000ul
#define KINDS (COTENANT_DEVICE_RESET_NS16550 + 1)
/* Devices whose kinds are chosen one by one; behind them are none, or clocks up to the last one. */
#define CHOSEN 2
/* Where a part begins: at one of the first ones, or near the last one that there can be. */
#define PLACES 4

static struct bundle_tenant description;

/* A register of one of the tenant's devices, and not of one that is guarded. */
static void is_register(uint64_t address, uint64_t size)
{
    uint64_t device = (address - FIRST_BASE) / PCI_BUS_SIZE;
    uint64_t at = (address - FIRST_BASE) % PCI_BUS_SIZE;

    //@ assert address >= FIRST_BASE && device < COTENANT_MAX_RESETS && at % size == 0;
    if (description.resets[device].kind != COTENANT_DEVICE_RESET_PCI) {
        //@ assert at < 4096;
    }
    //@ assert description.resets[device].kind != COTENANT_DEVICE_RESET_NONE;
    if (description.resets[device].kind == COTENANT_DEVICE_RESET_VIRTIO_MMIO) {
        //@ assert (description.flags & COTENANT_TENANT_TRUSTED) != 0;
    }
    (void)device;
    (void)at;
}

uint8_t mmio_read8(uint64_t address)
{
    is_register(address, 1);
    return any8();
}

uint32_t mmio_read32(uint64_t address)
{
    is_register(address, 4);
    return any32();
}

void mmio_write8(uint64_t address, uint8_t value)
{
    (void)value;
    is_register(address, 1);
}

void mmio_write32(uint64_t address, uint32_t value)
{
    (void)value;
    is_register(address, 4);
}

static uint32_t most_steps(uint32_t kind)
{
    return kind == COTENANT_DEVICE_RESET_VIRTIO_MMIO ? MOST_STEPS
           : kind == COTENANT_DEVICE_RESET_PCI       ? PCI_FUNCTIONS - 1
                                                     : 0;
}

static void set_up(bool trusted, bool full, const uint32_t *kinds)
{
    pass_moment();
    tenants[0].description = &description;
    MAKE_ANY(description);
    description.flags = trusted ? COTENANT_TENANT_TRUSTED : 0;
    for (uint32_t i = 0; i < COTENANT_MAX_RESETS; i++) {
        uint32_t rest = full ? COTENANT_DEVICE_RESET_GOLDFISH_RTC : COTENANT_DEVICE_RESET_NONE;

        description.resets[i].base = FIRST_BASE + (uint64_t)i * PCI_BUS_SIZE;
        description.resets[i].kind = i < CHOSEN ? kinds[i] : rest;
        description.resets[i].register_shift = (uint16_t)any_up_to(8); /* checked at boot */
        description.resets[i].divisor = (uint16_t)any32();
    }
}

/* Of one device: a step leads to one that it has. */
static void reset_device(const struct bundle_reset *reset)
{
    uint32_t most = most_steps(reset->kind);
    uint32_t next = device_reset(reset, any_up_to(most));
    //@ assert next <= most;
    (void)next;
}

/* From a step of a device, or from where nothing is left. */
static void reset_from(uint32_t device)
{
    unsigned room = any_up_to(GIVE_BACK_ROOM);
    bool is_left = device < COTENANT_MAX_RESETS;
    uint32_t step = is_left ? any_up_to(most_steps(description.resets[device].kind)) : 0;
    uint16_t next = (uint16_t)(device | step << STEP_SHIFT);

    (void)give_back(&tenants[0], &next, &room);
    //@ assert room <= GIVE_BACK_ROOM && (next & DEVICE_MASK) <= COTENANT_MAX_RESETS;
    //@ assert next >> STEP_SHIFT < PCI_FUNCTIONS;
}

static void try_case(void)
{
    bool trusted = pick(2) != 0, full = pick(2) != 0;
    uint32_t kinds[CHOSEN] = {pick(KINDS), pick(KINDS)};
    uint32_t device = pick(PLACES);

    set_up(trusted, full, kinds);
    if (trusted) {
        reset_device(&description.resets[0]);
    }
    reset_from(full && device >= CHOSEN ? COTENANT_MAX_RESETS + 1 - PLACES + device : device);
}

#define CASES (2 * 2 * KINDS * KINDS * PLACES)

int main(void)
{
    //@ loop unroll CASES;
    for (unsigned i = 0; i < CASES; i++) {
        digits = i;
        try_case();
        //@ slevel merge;
        digits = 0;
    }
    return 0;
}

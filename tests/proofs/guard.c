/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any accesses to the registers of a guarded device, in any order with ends of its tenant. The
 * device answers with any value; its queues are stand-ins, which have a proof of their own.
 */
#include "one_hart.h"

#include "core/hooks.h"

#include "features/guard/devices.c"

#define BASE 0x10001000ul
#define BLOCK 2
#define SCSI 8

HAS_ENTRIES(machine_begins, &machine_begins_guard_devices);

static struct bundle system;
static struct vhart vhart;
static uint32_t id;

/* Of the device's registers, and nothing else is ever accessed. */
static void is_register(uint64_t address, uint64_t size)
{
    //@ assert BASE <= address < BASE + GUARD_REGISTERS_SIZE;
    //@ assert address <= BASE + GUARD_REGISTERS_SIZE - size;
    (void)address;
    (void)size;
}

uint8_t mmio_read8(uint64_t address)
{
    is_register(address, 1);
    return any8();
}

uint16_t mmio_read16(uint64_t address)
{
    is_register(address, 2);
    return (uint16_t)any32();
}

uint32_t mmio_read32(uint64_t address)
{
    is_register(address, 4);
    return address == BASE + REG_DEVICE_ID ? id : any32();
}

void mmio_write8(uint64_t address, uint8_t value)
{
    is_register(address, 1);
    (void)value;
}

void mmio_write16(uint64_t address, uint16_t value)
{
    is_register(address, 2);
    (void)value;
}

void mmio_write32(uint64_t address, uint32_t value)
{
    is_register(address, 4);
    (void)value;
}

bool shadow_start(struct shadow_queue *queue, const struct tenant *tenant)
{
    (void)tenant->index;
    if (any_bool()) {
        return false;
    }
    queue->places = queue->asked;
    queue->ready = true;
    return true;
}

bool shadow_copy(struct shadow_queue *queue, const struct tenant *tenant, unsigned *steps,
                 uint64_t registers)
{
    (void)tenant->index;
    queue->next = (uint16_t)any32();
    *steps = any_up_to(*steps);
    (void)mmio_read32(registers);
    return any_bool();
}

bool shadow_publish(struct shadow_queue *queue)
{
    queue->rings.index = queue->next;
    return any_bool();
}

bool shadow_listen(struct shadow_queue *queue)
{
    (void)queue->next;
    return any_bool();
}

/* Any address, those of the device on their own. */
static uint64_t any_address(void)
{
    switch (any_up_to(2)) {
    case 0:
        return Frama_C_unsigned_long_interval(0, BASE - 1);
    case 1:
        return Frama_C_unsigned_long_interval(BASE + GUARD_PAGE_SIZE, UINT64_MAX);
    default:
        return BASE + any_up_to(GUARD_PAGE_SIZE - 1);
    }
}

static void set_up(void)
{
    MAKE_ANY(system);
    bundle = &system;
    tenant_count = 1;
    tenants[0].description = &system.tenants[0];
    tenants[0].index = any_up_to(COTENANT_MAX_TENANTS - 1);
    system.tenants[0].flags = 0; /* it is not trusted */
    for (unsigned i = 0; i < COTENANT_MAX_RESETS; i++) {
        system.tenants[0].resets[i].kind =
            i == 0 ? COTENANT_DEVICE_RESET_VIRTIO_MMIO : COTENANT_DEVICE_RESET_NONE;
        system.tenants[0].resets[i].base = BASE;
    }
    vhart.tenant = &tenants[0];
    machine_begins();
}

static void call(void)
{
    uint64_t value = any64();
    uint64_t address = any_address();
    uint16_t next = (uint16_t)Frama_C_interval_split(0, 1);
    unsigned room = any_up_to(GIVE_BACK_ROOM);

    switch (any_up_to(2)) {
    case 0:
        guard_access(&vhart, address, 1u << Frama_C_interval_split(0, 3), any_bool(), &value);
        break;
    case 1:
        guard_access(&vhart, address, sizeof(uint32_t), any_bool(), &value);
        break;
    default:
        give_back(&tenants[0], &next, &room);
        break;
    }
}

static void run(void)
{
    while (any_bool()) {
        pass_moment();
        call();
    }
}

static void run_with(uint32_t device)
{
    id = device;
    set_up();
    if (guards[0].type != NULL) {
        run();
    }
}

/* Types without a number of segments. */
static const uint32_t others[] = {1, 3, 4, 9, 18};

int main(void)
{
    switch (any_up_to(3)) {
    case 0:
        run_with(BLOCK);
        break;
    case 1:
        run_with(SCSI);
        break;
    case 2:
        run_with(others[any_up_to(4)]);
        break;
    default: /* one that cannot be guarded */
        id = any32();
        set_up();
        if (guards[0].type == NULL) {
            run();
        }
        break;
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any writes of the PMP entries that a tenant has of its own, and any accesses that are refused
 * while they confine it.
 */
#include "one_hart.h"
#include "tenant_ram.h"

#include "arch/guest_memory.h"
#include "arch/protection.h"

#include "features/confine/confine.c"

#define VHARTS 2

struct vhart vharts[COTENANT_MAX_VHARTS];

static struct bundle system;
static struct confinement confinement;
static struct pmp_set set;
static uint64_t purpose;

bool guest_translate(const struct tenant *tenant, uint64_t satp, uint64_t address,
                     uint64_t *physical)
{
    (void)tenant;
    (void)satp;
    (void)address;
    *physical = any64();
    return any_bool();
}

bool guest_translate_checked(const struct tenant *tenant, uint64_t satp, uint64_t status,
                             bool store, uint64_t address, uint64_t *physical)
{
    (void)status;
    (void)store;
    return guest_translate(tenant, satp, address, physical);
}

uint32_t guest_fetch(const struct tenant *tenant, uint64_t satp, uint64_t pc)
{
    (void)tenant;
    (void)satp;
    (void)pc;
    return any32();
}

void protection_write_address(uint32_t entry, uint64_t value)
{
    //@ assert entry < COTENANT_PMP_ENTRIES;
    (void)entry;
    (void)value;
}

/* As their own proof says. */
static bool decode(struct memory_access *access)
{
    access->size = 1u << any_up_to(3);
    return any_bool();
}

bool instruction_decode(uint32_t instruction, bool store, struct memory_access *access)
{
    (void)instruction;
    (void)store;
    return decode(access);
}

bool instruction_decode_floating(uint32_t instruction, bool store, struct memory_access *access)
{
    (void)instruction;
    (void)store;
    return decode(access);
}

static uint8_t rights(const struct vhart *vhart, uint64_t at, uint64_t *size)
{
    (void)vhart;
    return pmp_decide(set.addresses, set.configs, at, size, any8());
}

static void set_up(void)
{
    MAKE_ANY(system);
    system.vhart_count = VHARTS;
    system.board.pmp_entries = 1 + any_up_to(COTENANT_PMP_ENTRIES - 1); /* checked at boot */
    bundle = &system;
    tenants[0].description = &system.tenants[0];
    for (uint32_t i = 0; i < VHARTS; i++) {
        system.vharts[i].tenant = 0;
        system.vharts[i].hart = 0;
        vharts[i].tenant = &tenants[0];
        vharts[i].description = &system.vharts[i];
        vharts[i].world.hart = &harts[0];
    }
    confinement.rights = rights;
    confinement.purpose = &purpose;
    purpose = CONFINE_PURPOSES;
    find_spare_entries();
    confine_begin(&vharts[0], &confinement);
}

static void call(void)
{
    uint64_t value;

    switch (any_up_to(4)) {
    case 0:
        pmp_set_write(&set, any_bool() ? any_up_to(4095) : any32(), any64());
        confine_forget(&vharts[0], &confinement);
        break;
    case 1:
        pmp_set_read(&set, any_up_to(4095), &value);
        (void)pmp_set_confines(&set);
        (void)pmp_set_is_locked(&set);
        break;
    case 2:
        purpose = any_up_to(CONFINE_PURPOSES - 1);
        confine_look_up(&vharts[0], &confinement, any_up_to(15), any64());
        break;
    case 3:
        purpose = any64(); /* it is asked where none is in force, too */
        confine_allows(&vharts[0], &confinement, any64(), any_bool(), any64());
        break;
    default:
        harts[0].loaded = &vharts[any_up_to(VHARTS - 1)];
        purpose = any_up_to(CONFINE_PURPOSES - 1);
        confine_put(&vharts[0], confinement.blocks[purpose]);
        break;
    }
}

int main(void)
{
    set_up();
    while (any_bool()) {
        pass_moment();
        vharts[0].world.registers[REGISTER_PC] = any64();
        vharts[0].world.mstatus = any64();
        call();
    }
    return 0;
}

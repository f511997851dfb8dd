/* SPDX-License-Identifier: BSD-2-Clause */
/* An access to an emulated register, where fast_device.c leaves it to the plain path. */
#include "core/access.h"

#include "arch/guest_memory.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "features/decode/decode.h"
#include "features/plic/device_pages.h"
#include "features/plic/mmio.h"

static bool emulate(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    struct world *world = &vhart->world;
    struct memory_access access;
    enum mmio_result result;
    uint64_t physical;
    uint64_t value;

    if (!device_translate(vhart, CSR_READ(satp), address, &physical) ||
        !instruction_decode(guest_fetch_native(world->registers[REGISTER_PC]), &access) ||
        access.store != (cause != CAUSE_LOAD_ACCESS)) {
        return false;
    }
    /* Up to here nothing has changed: a vhart that is due now goes first. */
    if (hart_is_wanted() || !shared_try_enter(world->hart)) {
        return true; /* and the access is made again */
    }
    value = access.reg == 0 ? 0 : world->registers[access.reg];
    result = mmio_access(vhart, physical, access.size, access.store, &value);
    shared_leave(world->hart);
    if (result == MMIO_DONE) {
        if (!access.store && access.reg != 0) {
            world->registers[access.reg] = instruction_load_result(&access, value);
        }
        world->registers[REGISTER_PC] += access.length;
    }
    return result != MMIO_FAULT;
}

ACCESS_EMULATOR(emulate);
FEATURE(plic);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores of machine mode with MPRV: made as by the mode in MPP, so translated and checked
 * by the page tables of S-mode (privileged ISA 3.1.6.3). Byte by byte, as each may lie in a page of
 * its own; nothing is stored before all of them are known to be good. Only the tenant's memory can
 * be reached so: devices get an access fault.
 */
#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "arch/owned_memory.h"
#include "features/decode/decode.h"
#include "features/machine/inner.h"
#include "features/machine/machine.h"

#define MOST_BYTES 8

/* Where `size` bytes at `address` are. Returns 0, or the cause of the exception at *address. */
static uint64_t find_bytes(const struct vhart *vhart, bool store, uint64_t *address, uint32_t size,
                           volatile uint8_t *bytes[MOST_BYTES])
{
    const struct inner *inner = &machine_of(vhart)->inner;
    uint64_t status =
        (vhart->world.mstatus & (MSTATUS_SUM | MSTATUS_MXR)) | (inner->status & MSTATUS_MPP);

    for (uint32_t i = 0; i < size; i++, ++*address) {
        uint64_t physical;

        if (!guest_translate_checked(vhart->tenant, inner->satp, status, store, *address,
                                     &physical)) {
            return store ? CAUSE_STORE_PAGE : CAUSE_LOAD_PAGE;
        }
        if (!tenant_owns_memory(vhart->tenant, physical, 1)) {
            return store ? CAUSE_STORE_ACCESS : CAUSE_LOAD_ACCESS;
        }
        bytes[i] = (volatile uint8_t *)physical;
    }
    return 0;
}

void inner_access_as_below(struct vhart *vhart, bool store, uint64_t address)
{
    struct world *world = &vhart->world;
    volatile uint8_t *bytes[MOST_BYTES];
    struct memory_access access;
    uint32_t instruction;
    uint64_t value = 0;
    uint64_t cause;

    if (!guest_fetch(vhart->tenant, 0, world->registers[REGISTER_PC], &instruction) ||
        !instruction_decode(instruction, store, &access)) {
        inner_take_exception(vhart, store ? CAUSE_STORE_ACCESS : CAUSE_LOAD_ACCESS, address);
        return;
    }
    cause = find_bytes(vhart, store, &address, access.size, bytes);
    if (cause != 0) {
        inner_take_exception(vhart, cause, address);
        return;
    }
    if (store) {
        value = access.reg == 0 ? 0 : world->registers[access.reg];
    }
    for (uint32_t i = 0; i < access.size; i++) {
        if (store) {
            *bytes[i] = (uint8_t)(value >> 8 * i);
        } else {
            value |= (uint64_t)*bytes[i] << 8 * i;
        }
    }
    if (!store && access.reg != 0) {
        world->registers[access.reg] = instruction_load_result(&access, value);
    }
    world->registers[REGISTER_PC] += access.length;
}

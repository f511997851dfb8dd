/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a misaligned access byte by byte, in at most two pages, each translated and checked as the
 * hart would have done it. It is atomic with regard to faults only: nothing is written before both
 * pages are known to be good. It must be in the tenant's RAM; devices get an access fault, as on
 * harts whose devices take no misaligned access.
 */
#include "core/misaligned.h"

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "arch/owned_memory.h"
#include "core/feature.h"
#include "core/tenant.h"
#include "core/vhart.h"
#include "core/wanted.h"
#include "features/decode/decode.h"
#include "features/misaligned/fp_register.h"

#define PAGE_SIZE 4096
/* A single-precision value in a wider register has all upper bits set (ISA manual, "NaN boxing").
 */
#define NAN_BOX 0xffffffff00000000

/* The bytes of the access that lie in one page. */
struct piece {
    volatile uint8_t *bytes;
    unsigned count;
};

static bool decode(const struct vhart *vhart, bool store, struct memory_access *access)
{
    const struct world *world = &vhart->world;
    bool may_float = HAS(fp) && tenant_uses_fp(vhart->tenant) && (world->mstatus & MSTATUS_FS) != 0;
    uint32_t instruction =
        guest_fetch(vhart->tenant, CSR_READ(satp), world->registers[REGISTER_PC]);

    return instruction_decode(instruction, store, access) ||
           (may_float && instruction_decode_floating(instruction, store, access));
}

/* Finds the memory of `count` bytes at virtual `address`, all in one page. */
static bool find_piece(const struct vhart *vhart, uint64_t satp, bool store, uint64_t address,
                       unsigned count, struct piece *piece, struct misaligned_fault *fault)
{
    uint64_t physical;

    fault->address = address;
    if (!guest_translate_checked(vhart->tenant, satp, vhart->world.mstatus, store, address,
                                 &physical)) {
        fault->cause = store ? CAUSE_STORE_PAGE : CAUSE_LOAD_PAGE;
        return false;
    }
    if (!tenant_owns_memory(vhart->tenant, physical, count)) {
        fault->cause = store ? CAUSE_STORE_ACCESS : CAUSE_LOAD_ACCESS;
        return false;
    }
    *piece = (struct piece){(volatile uint8_t *)physical, count};
    return true;
}

static uint64_t read_pieces(const struct piece *pieces)
{
    uint64_t value = 0;
    unsigned shift = 0;

    for (unsigned i = 0; i < 2; i++) {
        for (unsigned n = 0; n < pieces[i].count; n++, shift += 8) {
            value |= (uint64_t)pieces[i].bytes[n] << shift;
        }
    }
    return value;
}

static void write_pieces(const struct piece *pieces, uint64_t value)
{
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned n = 0; n < pieces[i].count; n++, value >>= 8) {
            pieces[i].bytes[n] = (uint8_t)value;
        }
    }
}

static void load_register(struct world *world, const struct memory_access *access, uint64_t bytes)
{
    if (HAS(fp) && access->floating) {
        fp_write_register(access->reg, access->size == 4 ? bytes | NAN_BOX : bytes);
        world->mstatus |= MSTATUS_FS; /* dirty */
    } else if (access->reg != 0) {
        world->registers[access->reg] = instruction_load_result(access, bytes);
    }
}

static uint64_t stored_register(const struct world *world, const struct memory_access *access)
{
    if (HAS(fp) && access->floating) {
        return fp_read_register(access->reg);
    }
    return access->reg == 0 ? 0 : world->registers[access->reg];
}

/* The exception stays the original one for instructions that have to be aligned (atomics). */
static bool emulate(struct vhart *vhart, uint64_t satp, struct misaligned_fault *fault)
{
    struct world *world = &vhart->world;
    struct memory_access access;
    struct piece pieces[2] = {{0}};
    uint64_t address = fault->address;
    unsigned in_page = (unsigned)(PAGE_SIZE - address % PAGE_SIZE);
    bool store = fault->cause == CAUSE_STORE_MISALIGNED;
    unsigned first;

    if (!decode(vhart, store, &access)) {
        return false;
    }
    if (hart_is_wanted()) {
        return true; /* not yet: all of it takes long */
    }
    first = access.size < in_page ? access.size : in_page;
    if (!find_piece(vhart, satp, store, address, first, &pieces[0], fault) ||
        (first < access.size && !find_piece(vhart, satp, store, address + first,
                                            access.size - first, &pieces[1], fault))) {
        return false;
    }
    if (store) {
        write_pieces(pieces, stored_register(world, &access));
    } else {
        load_register(world, &access, read_pieces(pieces));
    }
    world->registers[REGISTER_PC] += access.length;
    return true;
}

FEATURE(misaligned);
MISALIGNED_EMULATOR(emulate);

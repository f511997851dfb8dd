/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any misaligned load or store, at any address, by any instruction: what it does to memory is in
 * the tenant's RAM.
 */
#include "core/misaligned.h"
#include "arch/guest_memory.h"
#include "core/vhart.h"
#include "one_hart.h"
#include "tenant_ram.h"

#include "features/misaligned/misaligned.c"

static struct bundle_tenant description;
static struct tenant tenant = {.description = &description};
static struct vhart vhart = {.tenant = &tenant};

/* As the proof `guest_memory` says: any answer. */
uint32_t guest_fetch(const struct tenant *of, uint64_t satp, uint64_t pc)
{
    (void)of;
    (void)satp;
    (void)pc;
    return any32();
}

bool guest_translate_checked(const struct tenant *of, uint64_t satp, uint64_t status, bool store,
                             uint64_t address, uint64_t *physical)
{
    (void)of;
    (void)satp;
    (void)status;
    (void)store;
    (void)address;
    *physical = any64();
    return any_bool();
}

uint64_t fp_read_register(uint64_t number)
{
    //@ assert number <= 31;
    return any64();
}

void fp_write_register(uint64_t number, uint64_t value)
{
    //@ assert number <= 31;
    (void)value;
}

/* As the proof of the decoder says, each size on its own. */
bool instruction_decode(uint32_t instruction, bool store, struct memory_access *access)
{
    (void)instruction;
    (void)store;
    access->floating = false;
    access->sign_extend = any_bool();
    access->reg = any_up_to(31);
    access->length = any_bool() ? 2 : 4;
    access->size = (uint8_t)(1 << Frama_C_interval_split(0, 3));
    return any_bool();
}

bool instruction_decode_floating(uint32_t instruction, bool store, struct memory_access *access)
{
    (void)instruction;
    (void)store;
    access->floating = true;
    access->sign_extend = any_bool();
    access->reg = any_up_to(31);
    access->length = any_bool() ? 2 : 4;
    access->size = (uint8_t)(1 << Frama_C_interval_split(2, 3));
    return any_bool();
}

int main(void)
{
    struct misaligned_fault fault = {
        .cause = any_bool() ? CAUSE_LOAD_MISALIGNED : CAUSE_STORE_MISALIGNED,
        .address = any64(),
    };

    description.flags = any32();
    MAKE_ANY(vhart.world);
    emulate(&vhart, any64(), &fault);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Any instruction word, decoded as everything that it could be, and the load that comes of it. */
#include "features/decode/decode.h"
#include "arch/instruction.h"
#include "proof.h"

/* What the callers use without a look: an index of the registers, and a count of bytes. */
static void use(const struct memory_access *access)
{
    //@ assert access->reg <= 31;
    //@ assert access->size == 1 || access->size == 2 || access->size == 4 || access->size == 8;
    //@ assert access->length == 2 || access->length == 4;
    instruction_load_result(access, any64());
}

int main(void)
{
    struct memory_access access;
    uint8_t reg;

    if (instruction_reads_time(any32(), &reg)) {
        //@ assert reg <= 31;
    }
    instruction_is_of_machine_mode(any32());
    if (instruction_decode(any32(), any_bool(), &access)) {
        use(&access);
    }
    if (instruction_decode_floating(any32(), any_bool(), &access)) {
        use(&access);
    }
    return 0;
}

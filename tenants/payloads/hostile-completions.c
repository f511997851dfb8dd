/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completes interrupts that are not its own, all the time: it stores every number to the claim
 * register of its context, and now and then everything to every register that harts share. It never
 * ends; what it does to others is for them to say.
 *
 * Prints "hostile-completions: rounds=N" after the first round, and every 100 from then on.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/plic.h"
#include "rt/trap.h"

#define SOURCES 128
#define CONTEXTS 17
#define REPORT_ROUNDS 100

const char payload_name[] = "hostile-completions";

static void write_register(void *argument)
{
    const uint64_t *access = argument;

    *plic_register(access[0]) = (uint32_t)access[1];
}

static void try_write(uint64_t offset, uint32_t value)
{
    uint64_t access[2] = {offset, value};
    struct trap_fault fault;

    trap_try(write_register, access, &fault);
}

static void complete_all(void)
{
    for (uint32_t source = 0; source < SOURCES; source++) {
        plic_complete(source);
    }
    plic_complete(UINT32_MAX);
}

static void write_shared_registers(uint32_t value)
{
    for (uint32_t source = 0; source < SOURCES; source++) {
        try_write(plic_priority_offset(source), value);
    }
    for (uint32_t source = 0; source < SOURCES; source += 32) {
        try_write(plic_pending_offset(source), value);
    }
    for (uint32_t context = 0; context < CONTEXTS; context++) {
        for (uint32_t source = 0; source < SOURCES; source += 32) {
            try_write(plic_enable_offset(context, source), value);
        }
        try_write(plic_threshold_offset(context), value);
        for (uint32_t source = 0; source < SOURCES; source++) {
            try_write(plic_claim_offset(context), source);
        }
    }
}

void main(void)
{
    check(platform.plic_base != 0, "the device tree has no PLIC");
    for (uint64_t round = 0;; round++) {
        complete_all();
        if (round % REPORT_ROUNDS == 0) {
            write_shared_registers(UINT32_MAX);
            write_shared_registers(0);
            print("hostile-completions: rounds=%lu\n", round);
        }
    }
}

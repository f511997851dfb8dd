/* SPDX-License-Identifier: BSD-2-Clause */
/* Single accesses and instructions that may fault, on top of trap_try(). */
#include "rt/trap.h"

struct access {
    uint64_t address;
    uint64_t value;
};

static void read64(void *argument)
{
    struct access *access = argument;

    access->value = *(volatile uint64_t *)access->address;
}

static void write64(void *argument)
{
    struct access *access = argument;

    *(volatile uint64_t *)access->address = access->value;
}

static void read8(void *argument)
{
    struct access *access = argument;

    access->value = *(volatile uint8_t *)access->address;
}

static void write8(void *argument)
{
    struct access *access = argument;

    *(volatile uint8_t *)access->address = (uint8_t)access->value;
}

static void execute(void *argument)
{
    struct access *access = argument;

    ((void (*)(void))access->address)();
}

bool trap_try_read64(uint64_t address, uint64_t *value, struct trap_fault *fault)
{
    struct access access = {.address = address};
    bool done = trap_try(read64, &access, fault);

    *value = access.value;
    return done;
}

bool trap_try_write64(uint64_t address, uint64_t value, struct trap_fault *fault)
{
    struct access access = {.address = address, .value = value};

    return trap_try(write64, &access, fault);
}

bool trap_try_read8(uint64_t address, uint8_t *value, struct trap_fault *fault)
{
    struct access access = {.address = address};
    bool done = trap_try(read8, &access, fault);

    *value = (uint8_t)access.value;
    return done;
}

bool trap_try_write8(uint64_t address, uint8_t value, struct trap_fault *fault)
{
    struct access access = {.address = address, .value = value};

    return trap_try(write8, &access, fault);
}

bool trap_try_execute(uint64_t address, struct trap_fault *fault)
{
    struct access access = {.address = address};

    return trap_try(execute, &access, fault);
}

/* trap_execute.S */
#define COMPRESSED_NOP 0x0001
extern uint16_t trap_execute_slot[2];
void trap_execute(uint64_t registers[32]);

static void execute_slot(void *argument)
{
    trap_execute(argument);
}

bool trap_try_instruction(uint32_t instruction, uint64_t registers[32], struct trap_fault *fault)
{
    bool is_compressed = (instruction & 3) != 3;

    trap_execute_slot[0] = (uint16_t)instruction;
    trap_execute_slot[1] = is_compressed ? COMPRESSED_NOP : (uint16_t)(instruction >> 16);
    __asm__ volatile("fence.i" : : : "memory");
    return trap_try(execute_slot, registers, fault);
}

uint64_t trap_instruction_address(void)
{
    return (uintptr_t)trap_execute_slot;
}

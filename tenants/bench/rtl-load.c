/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other tenant of the RTL measurement: it keeps the hart busy until the simulation ends, so
 * that the RTOS above it always has to take the hart away.
 *
 * A mark in the event log says that it has begun. It needs 512 KiB of RAM.
 *
 * Arguments: load=spin     a loop of two instructions (default)
 *            load=thrash   goes through more data and more code than the caches and TLBs hold
 *            sv39=N        1: run with page tables of 4 KiB pages (default 0)
 */
#include <stdbool.h>
#include <string.h>

#include "bench/results.h"
#include "bench/small_pages.h"
#include "rt/platform.h"

#define LINE 64
#define PAGE 4096
/* Four times the caches of 16 KiB, so that their random replacement leaves next to nothing. */
#define THRASH_BYTES 65536
/* Twice the entries of the TLBs. */
#define THRASH_PAGES 64

#define INSTRUCTION_NOP 0x00000013
#define INSTRUCTION_RET 0x00008067

/* Both at the end of the tenant's RAM, so that no boot loader has to carry or clear them. */
static volatile uint8_t *data;
static uint32_t *code;

static void prepare_thrashing(void)
{
    uint64_t end = platform.memory_base + platform.memory_size;

    data = (volatile uint8_t *)(end - THRASH_PAGES * PAGE);
    code = (uint32_t *)(data - THRASH_BYTES);
    for (uint64_t i = 0; i < THRASH_BYTES / sizeof(*code); i++) {
        code[i] = INSTRUCTION_NOP;
    }
    code[THRASH_BYTES / sizeof(*code) - 1] = INSTRUCTION_RET;
    __asm__ volatile("fence.i" : : : "memory");
}

static void thrash_data(void)
{
    for (uint64_t offset = 0; offset < THRASH_BYTES; offset += LINE) {
        data[offset]++;
    }
    for (uint64_t page = 0; page < THRASH_PAGES; page++) {
        data[page * PAGE + page * LINE % PAGE]++;
    }
}

static void thrash_code(void)
{
    ((void (*)(void))(uintptr_t)code)();
}

void main(void)
{
    const char *load = platform_argument("load");
    bool thrash = load != NULL && strncmp(load, "thrash", strlen("thrash")) == 0;

    results_open();
    if (thrash) {
        prepare_thrashing();
    }
    if (platform_number("sv39", 0) != 0) {
        small_pages_enable();
    }
    results_mark(1);
    while (thrash) {
        thrash_data();
        thrash_code();
    }
    for (;;) {
        __asm__ volatile("");
    }
}

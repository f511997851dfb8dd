/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other tenant of the RTL measurement: it keeps the hart busy until the simulation ends, so
 * that the RTOS above it always has to take the hart away.
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
/* Four times the caches of 16 KiB, so that their random replacement leaves next to nothing. */
#define THRASH_BYTES 65536
#define THRASH_PAGES 64
#define PAGE 4096

static uint8_t data[THRASH_PAGES * PAGE] __attribute__((aligned(4096)));

/* 64 KiB of code in a straight line, then a return. */
void thrash_code(void);
__asm__(".section .text.thrash, \"ax\"\n"
        ".option push\n"
        ".option norvc\n"
        ".balign 64\n"
        "thrash_code:\n"
        ".rept 16384\n"
        "nop\n"
        ".endr\n"
        "ret\n"
        ".option pop\n"
        ".text\n");

static void thrash_data(void)
{
    volatile uint8_t *bytes = data;

    for (uint64_t offset = 0; offset < THRASH_BYTES; offset += LINE) {
        bytes[offset]++;
    }
    for (uint64_t page = 0; page < THRASH_PAGES; page++) {
        bytes[page * PAGE + page * LINE % PAGE]++;
    }
}

void main(void)
{
    const char *load = platform_argument("load");
    bool thrash = load != NULL && strncmp(load, "thrash", strlen("thrash")) == 0;

    results_open();
    if (platform_number("sv39", 0) != 0) {
        small_pages_enable();
    }
    results_print("load\n");
    results_mark(1);
    while (thrash) {
        thrash_data();
        thrash_code();
    }
    for (;;) {
        __asm__ volatile("");
    }
}

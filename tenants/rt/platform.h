/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tenant's device tree says about the machine it sees. Filled in by rt_main() before
 * main() is called; read-only afterwards.
 */
#ifndef COTENANT_RT_PLATFORM_H
#define COTENANT_RT_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/csr.h"
#include "rt/fdt.h"

struct platform {
    uint64_t hart; /* the hart id that the tenant was started with */
    struct fdt fdt;
    const char *arguments; /* /chosen/bootargs, "" if none */
    uint64_t timebase_hz;  /* ticks of the time CSR in a second */
    uint64_t memory_base;  /* first range of RAM */
    uint64_t memory_size;
    uint64_t uart_base;  /* 16550, 0: none */
    uint32_t uart_shift; /* register n is at base + (n << shift) */
    uint32_t uart_source;
    uint64_t plic_base; /* 0: none */
    uint64_t plic_size;
    uint32_t plic_sources; /* highest source number */
    uint32_t plic_context; /* S-mode context of this hart */
};

extern struct platform platform;

/* Reads the device tree into `platform`. Called once by rt_main(). */
void platform_init(uint64_t hart, const void *devicetree);

/* The whole program; it may return, which shuts the tenant down. */
void main(void);

/* Argument `name`: see argument_find(). */
const char *platform_argument(const char *name);

/* The number of argument `name`, or `otherwise` if it is not given. */
uint64_t platform_number(const char *name, uint64_t otherwise);

/*
 * Of the numbers of argument `name`, with any one character between two of them (10.0.0.2/24), the
 * one behind `skip` others, or 0 if there is none.
 */
uint64_t platform_nth_number(const char *name, uint64_t skip);

/*
 * The text of argument `name`, or `otherwise` if it is not given, ended by a zero byte in `word`,
 * which has `size` bytes, at least 1; what does not fit is left out.
 */
void platform_word(const char *name, const char *otherwise, char *word, uint32_t size);

/* Time now, in ticks since some moment before boot. */
static inline uint64_t clock_now(void)
{
    return csr_read(time);
}

/* Ticks in `microseconds`, rounded down. */
static inline uint64_t clock_ticks(uint64_t microseconds)
{
    return microseconds * platform.timebase_hz / 1000000;
}

/* Keeps the hart busy for `microseconds`. */
void clock_spin(uint64_t microseconds);

/*
 * Sleeps for `microseconds` in WFI, which gives the hart to others. It uses the SBI timer and holds
 * interrupts off meanwhile.
 */
void clock_sleep(uint64_t microseconds);

#endif

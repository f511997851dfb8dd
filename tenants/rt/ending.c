/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/ending.h"

#include <stddef.h>
#include <string.h>

#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"

static void hang(void)
{
    interrupts_disable();
    for (;;) {
        __asm__ volatile("" : : : "memory");
    }
}

/* Loads what is not the tenant's. */
static void trap(void)
{
    (void)*(volatile uint64_t *)(platform.memory_base + platform.memory_size);
}

/* And then the fetch of the handler faults, too: nothing can go on. */
static void crash(void)
{
    interrupts_disable();
    csr_write(stvec, 0);
    trap();
}

static void shut_down(void)
{
    sbi_shutdown(false);
}

static void fail(void)
{
    sbi_shutdown(true);
}

static const struct {
    const char *name;
    void (*come)(void);
} endings[] = {
    {"crash", crash},       {"hang", hang}, {"shutdown", shut_down},
    {"reboot", sbi_reboot}, {"fail", fail}, {"trap", trap},
};
/* The last two do not come in turns: they are crashes, too. */
#define TURNS 4
#define ENDINGS (sizeof(endings) / sizeof(endings[0]))

void ending_come(uint64_t period)
{
    const char *wanted = platform_argument("end");
    size_t chosen = 2;

    for (size_t i = 0; wanted != NULL && i < ENDINGS; i++) {
        if (strncmp(wanted, endings[i].name, strlen(endings[i].name)) == 0) {
            chosen = i;
        }
    }
    if (wanted != NULL && strncmp(wanted, "turns", 5) == 0) {
        chosen = clock_now() / period % TURNS;
    }
    print("end: %s\n", endings[chosen].name);
    endings[chosen].come();
    sbi_shutdown(true); /* a crash that did not come */
}

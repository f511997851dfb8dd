/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define QUOTA 16
#define PAGE 4096

static uint64_t pages[COMPONENTS];

/* 0 if there is a page at that address of the component's heap now. */
uint64_t export_populate(uint64_t component, uint64_t address)
{
    if (component >= COMPONENTS || pages[component] == QUOTA) {
        return 1;
    }
    if (kernel_call(CALL_MAP, component, address & ~(uint64_t)(PAGE - 1), 0).error != OK) {
        return 1;
    }
    __atomic_fetch_add(&pages[component], 1, __ATOMIC_RELAXED);
    return 0;
}

/* A component was restarted: the kernel has taken its heap. */
uint64_t export_forget(uint64_t component)
{
    if (component < COMPONENTS) {
        pages[component] = 0;
    }
    return 0;
}

uint64_t export_used(uint64_t component)
{
    return component < COMPONENTS ? pages[component] : 0;
}

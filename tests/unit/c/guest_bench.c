/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "guest_bench.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/guest_memory.h"
#include "features/plic/mmio.h"

/* Unreadable pages at each side. */
#define GUARD 4

struct tenant guest;
struct vhart guest_vhart;
struct plic_vhart guest_plic;
const struct mmio_window guest_window;

static struct bundle_tenant description;
static uint8_t *memory;

/* In the place of features/plic/mmio.c. */
const struct mmio_window *mmio_window_at(const struct tenant *tenant, uint64_t address)
{
    (void)tenant;
    return address - GUEST_DEVICE < GUEST_DEVICE_SIZE ? &guest_window : NULL;
}

static void map(void)
{
    uint8_t *start = mmap(NULL, (GUEST_PAGES + 2 * GUARD) * GUEST_PAGE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert(start != MAP_FAILED);
    memory = start + GUARD * GUEST_PAGE;
    assert(mprotect(memory, GUEST_PAGES * GUEST_PAGE, PROT_READ | PROT_WRITE) == 0);
}

void guest_reset(void)
{
    if (memory == NULL) {
        map();
    }
    memset(memory, 0, GUEST_PAGES * GUEST_PAGE);
    memset(&description, 0, sizeof(description));
    memset(&guest, 0, sizeof(guest));
    memset(&guest_vhart, 0, sizeof(guest_vhart));
    memset(&guest_plic, 0, sizeof(guest_plic));
    /* Two adjacent ranges: what crosses from one to the other is in neither. */
    description.memory[1] = (struct bundle_range){guest_page(0), 10 * GUEST_PAGE};
    description.memory[3] = (struct bundle_range){guest_page(10), (GUEST_PAGES - 10) * GUEST_PAGE};
    guest.description = &description;
    guest_vhart.tenant = &guest;
    guest_vhart.plic = &guest_plic;
}

uint64_t guest_page(int number)
{
    return (uint64_t)(uintptr_t)(memory + (intptr_t)number * GUEST_PAGE);
}

void guest_store16(uint64_t physical, uint16_t value)
{
    memcpy((void *)(uintptr_t)physical, &value, sizeof(value));
}

void guest_store64(uint64_t physical, uint64_t value)
{
    memcpy((void *)(uintptr_t)physical, &value, sizeof(value));
}

uint64_t guest_satp(uint64_t mode, uint64_t root)
{
    return mode << 60 | root >> 12;
}

uint64_t guest_entry(uint64_t physical, uint64_t flags)
{
    return physical >> 12 << 10 | flags;
}

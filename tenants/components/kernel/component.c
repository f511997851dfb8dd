/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/kernel/component.h"

#include <string.h>

#include "components/kernel/machine.h"
#include "components/kernel/pages.h"

/* Page table entries, privileged architecture, 4.3.1. Accessed and dirty are set from the start. */
#define PTE_VALID 0x01
#define PTE_USER_TEXT 0x5b /* V R X U A */
#define PTE_USER_DATA 0xd7 /* V R W U A D */
#define PTE_KERNEL 0xef    /* V R W X G A D */

#define ROOT_SHIFT 30
#define REGION_INDEX (COMPONENT_BASE >> ROOT_SHIFT)
#define SATP_SV39 0x8000000000000000
#define SATP_ASID_SHIFT 44

struct component component_dead;
struct component component_resume;

static struct component components[COMPONENTS];

static uint64_t entry(const void *page, uint64_t flags)
{
    return (uint64_t)(uintptr_t)page >> 12 << 10 | flags;
}

static uint64_t base_of(const struct component *component)
{
    return COMPONENT_BASE + component->id * COMPONENT_SIZE;
}

/* The root table, with the kernel and the devices below it in it, and satp. */
static bool add_space(struct component *component)
{
    component->root = pages_take();
    if (component->root == NULL) {
        return false;
    }
    for (uint64_t each = 0; each <= (machine.memory_end - 1) >> ROOT_SHIFT; each++) {
        component->root[each] = entry((const void *)(uintptr_t)(each << ROOT_SHIFT), PTE_KERNEL);
    }
    component->satp = SATP_SV39 | (uint64_t)(uintptr_t)component->root >> 12;
    return true;
}

static void map_row(struct component *component, uint64_t offset, const uint8_t *pages,
                    uint64_t size, uint64_t flags)
{
    for (uint64_t done = 0; done < size; done += PAGE_SIZE) {
        component->pages[(offset + done) / PAGE_SIZE] = entry(pages + done, flags);
    }
}

static bool add_stacks(struct component *component)
{
    for (uint64_t thread = 0; thread < THREADS; thread++) {
        uint64_t offset = STACKS_OFFSET + (thread + 1) * STACK_SPACING - STACK_SIZE;
        uint8_t *stack = pages_take();

        if (stack == NULL) {
            return false;
        }
        map_row(component, offset, stack, STACK_SIZE, PTE_USER_DATA);
    }
    component->stacks = base_of(component) + STACKS_OFFSET + STACK_SPACING;
    return true;
}

/* The window of a memory channel, and the page of the tenant's doorbells. */
static void map_window(struct component *component)
{
    struct memory_window *window = &component->window;

    if (component->image->window == NULL || !memory_window_find(window, component->image->window) ||
        window->size > WINDOW_SIZE) {
        window->size = 0;
        return;
    }
    map_row(component, WINDOW_OFFSET, (const uint8_t *)window->base, window->size, PTE_USER_DATA);
    map_row(component, DOORBELL_OFFSET, (const uint8_t *)(window->doorbell & -(uint64_t)PAGE_SIZE),
            PAGE_SIZE, PTE_USER_DATA);
}

static bool build(struct component *component, uint64_t id)
{
    const struct table_component *image = &table.component[id];

    *component = (struct component){.id = id, .image = image};
    component->data_size = image->memory_size + image->buffer_size + PAGE_SIZE - 1;
    component->data_size &= ~(uint64_t)(PAGE_SIZE - 1);
    if (!add_space(component)) {
        return false;
    }
    component->regions = pages_take();
    component->pages = pages_take();
    component->lent = pages_take();
    component->data = pages_take_row(component->data_size / PAGE_SIZE);
    if (component->regions == NULL || component->pages == NULL || component->lent == NULL ||
        component->data == NULL) {
        return false;
    }
    component->root[REGION_INDEX] = entry(component->regions, PTE_VALID);
    component->regions[id] = entry(component->pages, PTE_VALID);
    map_row(component, 0, image->text, image->text_size, PTE_USER_TEXT);
    map_row(component, image->text_size, component->data, component->data_size, PTE_USER_DATA);
    component->distance = (uintptr_t)component->data - base_of(component) - image->text_size;
    component->device = image->device != 0 ? machine_find_device(image->device, id) : 0;
    if (component->device != 0) {
        map_row(component, DEVICE_OFFSET, (const uint8_t *)component->device, PAGE_SIZE,
                PTE_USER_DATA);
    }
    map_window(component);
    for (uint32_t i = 0; i < image->capabilities; i++) {
        component->capability[i].entry = image->capability[i].entry;
        component->capability[i].target = &components[image->capability[i].target];
    }
    component_refresh(component);
    component->restarts = 0;
    return add_stacks(component);
}

bool components_init(void)
{
    component_dead.id = KERNEL_ID;
    component_resume.id = KERNEL_ID;
    if (!add_space(&component_dead) || !add_space(&component_resume)) {
        return false;
    }
    for (uint64_t id = 0; id < table.components; id++) {
        if (!build(&components[id], id)) {
            return false;
        }
    }
    return true;
}

void components_use_asids(bool has_asids)
{
    machine.has_asids = has_asids;
    for (uint64_t id = 0; has_asids && id < table.components; id++) {
        components[id].satp |= (id + 1) << SATP_ASID_SHIFT; /* 0: of the two that are none */
    }
}

struct component *component_find(uint64_t id)
{
    return id < table.components ? &components[id] : NULL;
}

static void drop_heap(struct component *component)
{
    for (uint64_t i = HEAP_OFFSET / PAGE_SIZE; i < STACKS_OFFSET / PAGE_SIZE; i++) {
        if (component->pages[i] != 0) {
            pages_give((void *)(uintptr_t)(component->pages[i] >> 10 << 12));
            component->pages[i] = 0;
        }
    }
}

void component_refresh(struct component *component)
{
    const struct table_component *image = component->image;

    component_take_back(component);
    for (uint64_t id = 0; id < table.components; id++) {
        if (components[id].lent_to == component) {
            component_take_back(&components[id]);
        }
    }
    drop_heap(component);
    memcpy(component->data, image->data, image->data_size);
    memset(component->data + image->data_size, 0, image->memory_size - image->data_size);
    machine_fence();
}

int64_t component_map(struct component *component, uint64_t address)
{
    uint64_t offset = address - base_of(component);
    void *page;

    if (address % PAGE_SIZE != 0 || offset < HEAP_OFFSET || offset >= STACKS_OFFSET ||
        component->pages[offset / PAGE_SIZE] != 0) {
        return ERROR_INVALID;
    }
    page = pages_take();
    if (page == NULL) {
        return ERROR_NO_ROOM;
    }
    map_row(component, offset, page, PAGE_SIZE, PTE_USER_DATA);
    machine_fence();
    return OK;
}

int64_t component_lend(struct component *lender, struct component *borrower, uint64_t address)
{
    const struct table_component *image = lender->image;
    uint64_t offset = address - base_of(lender);

    if (address % PAGE_SIZE != 0 || offset < image->text_size ||
        offset >= image->text_size + lender->data_size || borrower == lender) {
        return ERROR_INVALID;
    }
    if (lender->lent_to != NULL && lender->lent_to != borrower) {
        return ERROR_BUSY;
    }
    lender->lent[offset / PAGE_SIZE] = lender->pages[offset / PAGE_SIZE];
    lender->lent_to = borrower;
    borrower->regions[lender->id] = entry(lender->lent, PTE_VALID);
    machine_fence();
    return OK;
}

/* Whether all of that is in its data. */
static bool has_data(const struct component *component, uint64_t address, uint64_t size)
{
    uint64_t offset = address + component->distance - (uintptr_t)component->data;

    return size <= component->data_size && offset <= component->data_size - size;
}

int64_t component_copy(struct component *borrower, uint64_t lent, uint64_t own, uint64_t size,
                       bool is_store)
{
    const struct component *lender = component_find((lent - COMPONENT_BASE) / COMPONENT_SIZE);
    uint64_t page = lent % COMPONENT_SIZE / PAGE_SIZE;
    uint64_t last = (lent % COMPONENT_SIZE + size - 1) / PAGE_SIZE; /* or the next: COPY_BYTES */

    if (lender == NULL || lender->lent_to != borrower) {
        return ERROR_NOT_PERMITTED;
    }
    if (size == 0 || size > COPY_BYTES || !has_data(borrower, own, size) ||
        !has_data(lender, lent, size) || lender->lent[page] == 0 || lender->lent[last] == 0) {
        return ERROR_INVALID;
    }
    lent += lender->distance;
    own += borrower->distance;
    memcpy((void *)(is_store ? lent : own), (void *)(is_store ? own : lent), size);
    return OK;
}

void component_take_back(struct component *lender)
{
    if (lender->lent_to == NULL) {
        return;
    }
    lender->lent_to->regions[lender->id] = 0;
    lender->lent_to = NULL;
    memset(lender->lent, 0, PAGE_SIZE);
    machine_fence();
}

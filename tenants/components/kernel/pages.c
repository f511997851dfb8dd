/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/kernel/pages.h"

#include <string.h>

#include "components/kernel/component.h"

static uintptr_t unused;
static uintptr_t unused_end;
static void *free_pages; /* that were given back: in the first word of each is the next one */

void pages_init(uintptr_t start, uintptr_t end)
{
    unused = (start + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
    unused_end = end & ~(uintptr_t)(PAGE_SIZE - 1);
    free_pages = NULL;
}

void *pages_take_row(uint64_t count)
{
    void *row = (void *)unused;

    if (unused > unused_end || count > (unused_end - unused) / PAGE_SIZE) {
        return NULL;
    }
    unused += count * PAGE_SIZE;
    return memset(row, 0, count * PAGE_SIZE);
}

void *pages_take(void)
{
    void **page = free_pages;

    if (page == NULL) {
        return pages_take_row(1);
    }
    free_pages = *page;
    return memset(page, 0, PAGE_SIZE);
}

void pages_give(void *page)
{
    *(void **)page = free_pages;
    free_pages = page;
}

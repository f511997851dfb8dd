/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/kernel/pages.h"

#include <string.h>

#include "components/kernel/component.h"

/* In the first word of each page that was given back. */
struct free_page {
    struct free_page *next;
};

static uintptr_t unused;
static uintptr_t unused_end;
static struct free_page *free_pages;

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
    struct free_page *page = free_pages;

    if (page == NULL) {
        return pages_take_row(1);
    }
    free_pages = page->next;
    return memset(page, 0, PAGE_SIZE);
}

void pages_give(void *page)
{
    struct free_page *given = page;

    given->next = free_pages;
    free_pages = given;
}

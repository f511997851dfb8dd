/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Components: protection domains. Each has a page table, in which are the kernel, for the kernel
 * only, and the component's own region; a capability table; and rights to calls of the kernel.
 */
#ifndef COTENANT_COMPONENTS_COMPONENT_H
#define COTENANT_COMPONENTS_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/kernel/offsets.h"
#include "components/table.h"
#include "rt/memory_window.h"

#define PAGE_SIZE 4096
#define PAGE_ENTRIES 512

/* What the kernel is as a caller, in t0. */
#define KERNEL_ID COMPONENTS

struct component;

struct capability {
    uint64_t entry;
    struct component *target; /* NULL: there is none */
};

struct component {
    uint64_t satp;
    uint64_t stacks; /* top of thread 0's; that of thread t is t * STACK_SPACING above */
    uint64_t id;
    struct capability capability[CAPABILITIES];
    const struct table_component *image;
    uint64_t *root;              /* page tables, each of PAGE_ENTRIES */
    uint64_t *regions;           /* level 1: one entry for each component's region */
    uint64_t *pages;             /* level 0 of its own region */
    uint64_t *lent;              /* level 0: of its region only what it lends */
    struct component *lent_to;   /* in whose `regions` that is; NULL: nowhere */
    uint8_t *data;               /* its writable memory, as the kernel sees it */
    uint64_t data_size;          /* bytes of that, whole pages */
    uint64_t distance;           /* from its address there to the kernel's */
    uint64_t device;             /* registers of what it drives; 0: nothing */
    struct memory_window window; /* size 0: none */
    uint64_t restarts;
};

_Static_assert(offsetof(struct component, satp) == COMPONENT_SATP, "entry.S");
_Static_assert(offsetof(struct component, stacks) == COMPONENT_STACKS, "entry.S");
_Static_assert(offsetof(struct component, id) == COMPONENT_ID, "entry.S");
_Static_assert(offsetof(struct component, capability) == COMPONENT_CAPABILITIES, "entry.S");
_Static_assert(sizeof(struct capability) == 1 << CAPABILITY_SHIFT, "entry.S");
_Static_assert(offsetof(struct capability, entry) == CAPABILITY_ENTRY, "entry.S");
_Static_assert(offsetof(struct capability, target) == CAPABILITY_TARGET, "entry.S");

/*
 * Two that are none: in their page table is the kernel only, so that a thread that returns into
 * one faults at once, and the kernel does what the return could not: goes on to the caller of a
 * component that was restarted, or back to the instruction that had faulted.
 */
extern struct component component_dead;
extern struct component component_resume;

/* Builds all from the table, in pages of pages_take(). False: there are too few. */
bool components_init(void);

/* From now on each has an ASID of its own in satp, if the hart has them; else 0. */
void components_use_asids(bool has_asids);

/* Component `id`, NULL if there is none. */
struct component *component_find(uint64_t id);

/* Its memory as it was at the start: data from the image, no heap, nothing lent by or to it. */
void component_refresh(struct component *component);

/* A page of zeros in its heap. OK, ERROR_INVALID (not a page there, or one is there), _NO_ROOM. */
int64_t component_map(struct component *component, uint64_t address);

/*
 * Gives `borrower` the page at `address` of the lender's data. OK, ERROR_INVALID (it has no such
 * page), ERROR_BUSY (it lends to another one).
 */
int64_t component_lend(struct component *lender, struct component *borrower, uint64_t address);

/*
 * Copies `size` bytes from `lent`, which the borrower is lent, to `own` of its data, or there if
 * `is_store`. OK, ERROR_NOT_PERMITTED (that one lends it nothing), ERROR_INVALID (bytes that are
 * not lent, or not its data, or none, or too many).
 */
int64_t component_copy(struct component *borrower, uint64_t lent, uint64_t own, uint64_t size,
                       bool is_store);

/* Ends all that it lends. */
void component_take_back(struct component *lender);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts a tenant's images in place, a bounded piece at a time.
 *
 * Loading is work of the tenant itself: the scheduler gives its first vhart the hart at its own
 * priority, and the monitor copies a piece in that time, so that a more urgent vhart is not
 * delayed by more than one piece.
 */
#ifndef COTENANT_CORE_LOADER_H
#define COTENANT_CORE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"

/* Bytes moved or cleared by one step. */
#define LOADER_STEP_BYTES 512

enum loader_phase {
    LOADER_IDLE,
    LOADER_WIPE, /* memory[item] is cleared from `offset` on */
    LOADER_COPY, /* parts[item] is copied from `offset` on */
    LOADER_DONE,
    LOADER_STARTS, /* the tenant runs, and its first vhart starts in the next step */
};

/* What loaded the bundle has put all images to their destinations too. Set at boot. */
extern bool images_are_placed;

struct loader {
    enum loader_phase phase;
    bool copies; /* whether the images follow when the memory is clear */
    bool placed; /* they are there: only what follows them in memory is cleared */
    bool waited; /* the last piece came later, since the hart was wanted: the next one does not */
    uint32_t item;
    uint64_t offset;
};

/*
 * Begins to load. `wipe`: clear all of the tenant's memory first, as a restart must; at the first
 * start after power-on only what the images describe is written, and they are not copied if they
 * were placed. Without `copy` that is all.
 */
void loader_begin(struct loader *loader, bool wipe, bool copy);

/*
 * Does one step for the tenant described by `description`, whose parts are in `store` (the address
 * of struct bundle). Returns true when all is in place.
 */
bool loader_step(struct loader *loader, const struct bundle_tenant *description,
                 const uint8_t *store);

#endif

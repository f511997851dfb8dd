/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the build puts into an image: its components, what each may do, and the threads there are at
 * the start. Written by cotenant.components.link, which has checked it.
 */
#ifndef COTENANT_COMPONENTS_TABLE_H
#define COTENANT_COMPONENTS_TABLE_H

#include <stdint.h>

#include "components/interface.h"

/* An entry of a capability table: function `entry` of component `target`. */
struct table_capability {
    uint64_t entry;
    uint32_t target;
};

struct table_component {
    const char *name;
    const uint8_t *text;   /* whole pages, mapped where they are */
    const uint8_t *data;   /* copied at the start and at each restart */
    uint32_t text_size;    /* bytes, a multiple of the page size */
    uint32_t data_size;    /* bytes */
    uint32_t memory_size;  /* data and what begins as zeros */
    uint32_t buffer_size;  /* behind it: what a restart leaves as it is */
    uint32_t rights;       /* RIGHT_ */
    uint32_t device;       /* virtio device id of what it drives; 0: nothing */
    uint32_t capabilities; /* how many */
    const struct table_capability *capability;
    const char *window; /* memory channel whose window it has; NULL: none */
};

struct table_thread {
    uint64_t entry;
    uint32_t component;
};

struct table {
    uint32_t components;
    uint32_t threads; /* thread 0 is the scheduler's */
    const struct table_component *component;
    const struct table_thread *thread;
    struct table_capability fault_handler;
};

extern const struct table table;

#endif

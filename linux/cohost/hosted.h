/* SPDX-License-Identifier: BSD-2-Clause */
/* The monitor's interface for guests: docs/abi/hosted.md. */
#ifndef COHOST_HOSTED_H
#define COHOST_HOSTED_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hosted.h"
#include "ranges.h"

struct hosted {
    uint64_t slots;
    uint64_t vharts;  /* of a guest, at most */
    uint64_t memory;  /* bytes for all guests */
    uint64_t entries; /* PMP entries of a guest */
    /* The guest of this process. */
    unsigned slot;
    uint32_t token;
};

extern struct hosted hosted;

/* Maps the registers and reads what the monitor grants; ends the program where it is not there. */
void hosted_open(const struct range *registers);

/*
 * Has a request carried out and returns its result, COTENANT_HOSTED_*. What it returns is in
 * *request. Needs memory.shared. From any thread.
 */
uint32_t hosted_ask(struct hosted_request *request);

/* The same for a request that must succeed; `what` is for the sentence that ends the program. */
void hosted_must(struct hosted_request *request, const char *what);

/* Takes a free slot for a guest. */
void hosted_create(unsigned vharts);

/* Ends a guest, and waits until its slot is free. `token`: which guest; 0: whichever is there. */
void hosted_destroy(unsigned slot, uint32_t token);

/* Sets up a vhart of this guest. Returns COTENANT_HOSTED_*. */
uint32_t hosted_start(unsigned vhart, uint64_t entry, uint64_t argument);

/* The run page of a vhart of this guest. */
volatile struct hosted_run *hosted_run_page(unsigned vhart);

/* A turn of a vhart of this guest; see machine_turn. */
void hosted_turn(unsigned vhart, const volatile bool *kicked);

/* Changes the level of one of this guest's interrupt lines. */
void hosted_line(unsigned source, bool high);

#endif

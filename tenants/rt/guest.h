/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small program that hosts guests (abi/hosted.h, docs/abi/hosted.md), for tenants without an
 * operating system. By one hart at a time but for guest_request(), guest_turn() and
 * guest_set_line().
 */
#ifndef COTENANT_RT_GUEST_H
#define COTENANT_RT_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hosted.h"

struct guest {
    uint32_t slot;
    uint32_t token;
    uint64_t base; /* of its memory */
    uint64_t size;
    volatile struct hosted_run *run; /* of vhart 0 */
    uint64_t exits;
    bool ended;
    bool crashed;
};

/* Looks for the registers in the device tree; false: the tenant has no guests. */
bool guest_find(void);

/* A register of the first page. */
uint64_t guest_register(uint64_t offset);

/*
 * Makes a request, whose result and token are filled in; whoever gets BUSY may ask again. Returns
 * the result.
 */
uint32_t guest_request(struct hosted_request *request);

/*
 * Makes a guest in a slot, lends it the memory and starts its first vhart on the initrd. With the
 * argument shares=1 of this tenant it shares the floating-point registers.
 */
void guest_make(struct guest *guest, uint32_t slot, uint64_t base, uint64_t size);

/* A store of `value` to the turn page of a vhart. */
void guest_turn(uint32_t slot, uint32_t vhart, uint32_t value);

/* Writes COTENANT_HOSTED_LINE. */
void guest_set_line(uint64_t value);

/* A turn of the first vhart, and what it asks for. False: the guest has ended by it. */
bool guest_take_turn(struct guest *guest);

/* Does what the vhart's turn has ended for. */
bool guest_serve(struct guest *guest);

#endif

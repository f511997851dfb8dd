/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Confines a vhart for some time to less than the bundle gives it, by a second set of PMP entries
 * (privileged ISA 3.7.1) of any number.
 *
 * The hart's spare PMP entries, those behind the ones that the bundle gives the vharts of the hart,
 * are filled as a TLB is: when an access has been refused, with the largest block around its
 * address about which both sets decide alike, and with the rights that both give. So nothing is
 * ever opened that the bundle does not open, no order among the spare entries matters, and a few of
 * them do for any second set. What is refused for good is found in software.
 *
 * All functions are called by the vhart's own hart with interrupts off.
 */
#ifndef COTENANT_FEATURES_CONFINE_CONFINE_H
#define COTENANT_FEATURES_CONFINE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"
#include "features/confine/pmp_set.h"

/* What a second set gives depends on the purpose, a number of the caller's. */
#define CONFINE_PURPOSES 3

struct confinement {
    /* What the second set gives to an address; narrows the block of `size` around it as
     * pmp_decide() does. */
    uint8_t (*rights)(const struct vhart *vhart, uint64_t at, uint64_t *size);
    /* Where the caller has the purpose in force; from CONFINE_PURPOSES on, none is. */
    const uint64_t *purpose;
    /* pmpcfg of the spare entries that are filled, for each purpose: what confine_look_up() has
     * opened for it, and no more. */
    uint64_t blocks[CONFINE_PURPOSES][2];
    uint8_t first; /* spare entries of the hart, and the one that is filled next */
    uint8_t end;
    uint8_t next;
};

enum confine_verdict {
    CONFINE_ALLOWED, /* and the hart's entries say so: the access was refused for another reason */
    CONFINE_OPENED,  /* from now on, or the hart is wanted: the access is to be made again */
    CONFINE_DENIED,  /* by the second set */
    CONFINE_ELSEWHERE, /* not by that: the address is not the vhart's, or no memory */
};

/* Finds the spare entries; `end` is 0 if they are too few. The vhart has what the bundle gives it.
 */
void confine_begin(struct vhart *vhart, struct confinement *confinement);

/* The vhart has these rights from now on: `blocks`, or as by the entries of the bundle. */
void confine_put(struct vhart *vhart, const void *config);

/* What the second set says has changed. */
void confine_forget(struct vhart *vhart, struct confinement *confinement);

/*
 * The loaded vhart's access to `address`, virtual or not, has been refused with an access fault
 * (`cause`) while the confinement is in force.
 */
enum confine_verdict confine_look_up(struct vhart *vhart, struct confinement *confinement,
                                     uint64_t cause, uint64_t address);

/*
 * Whether the second set forbids the load or store of the loaded vhart's instruction at its pc. It
 * is made by the mode in MPP of the world, and translated by `satp`; whether that, or the bundle,
 * permits it is not asked.
 */
enum confine_verdict confine_allows(struct vhart *vhart, struct confinement *confinement,
                                    uint64_t satp, bool store, uint64_t address);

#endif

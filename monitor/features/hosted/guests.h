/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests of a host: abi/hosted.h. A guest is a tenant of the monitor without memory and devices of
 * its own, and without a place in a schedule except during a turn of one of its vharts.
 *
 * A turn: a vhart of the host, which has executed a store to a turn page, waits as in WFI, with its
 * pc at the store, and the guest's vhart is ready on the same hart, directly below the host's in
 * priority. So what wakes the host ends the turn without further ado: the host has had its hart
 * since, which its count of switches tells, and the guest's vhart, which is not entered any more,
 * is taken off the schedule when that is next looked at.
 *
 * Who is in which turn and what is lent is the shared lock's; the end of a turn by the guest's own
 * hart only clears guest_vhart.host.
 */
#ifndef COTENANT_FEATURES_HOSTED_GUESTS_H
#define COTENANT_FEATURES_HOSTED_GUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hosted.h"
#include "core/tenant.h"
#include "features/decode/decode.h"

struct guest {
    struct tenant *tenant; /* NULL: there is no such guest */
    struct tenant *host;
    uint32_t slot;
    uint32_t token; /* 0: it is not alive */
    uint64_t size;  /* bytes that are lent */
    uint64_t view;  /* changes whenever what it may touch does */
    /* The PMP entries for it, from the first one on that is kept for guests. */
    uint64_t pmp_address[COTENANT_PMP_ENTRIES];
    uint8_t pmp_config[COTENANT_PMP_ENTRIES];
    /* What its tenant is described by; the memory is what is lent. */
    struct bundle_tenant description;
};

/* What a vhart of a guest does at its next turn before it runs. */
enum guest_owes {
    GUEST_OWES_NOTHING,
    GUEST_OWES_ACCESS, /* goes on behind its load or store, or takes a fault */
    GUEST_OWES_CALL,   /* takes the answer to its call */
};

struct guest_vhart {
    struct vhart *host;              /* whose turn it has, or NULL */
    uint64_t host_switches;          /* its count when the turn began */
    volatile struct hosted_run *run; /* NULL: not started */
    enum guest_owes owes;
    struct memory_access access;
    bool stores;
    uint64_t access_address; /* virtual */
    uint8_t store_length;    /* bytes of the host's instruction */
    bool attended;
    uint32_t called; /* 1: another vhart has sent it an IPI that it has not seen */
    uint64_t view;   /* guest.view for which its PMP entries were made, on its hart */
    struct bundle_vhart description;
};

extern struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
extern struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS]; /* by their index */

/* The tenant is a guest. */
static inline bool is_guest(const struct tenant *tenant)
{
    return tenant->index >= bundle->tenant_count;
}

/* Of a tenant or vhart that is a guest's. */
static inline struct guest *guest_of(const struct tenant *tenant)
{
    return &guests[tenant->index - bundle->tenant_count];
}

static inline struct guest_vhart *guest_vhart_of(const struct vhart *vhart)
{
    return &guest_vharts[vhart->index];
}

/* The guest in a slot of a host; NULL: there is no such slot. */
struct guest *guest_in_slot(const struct tenant *host, uint64_t slot);

/* From now on the SBI calls of guests are told from those of others. At boot. */
void guest_divert_calls(void);

/* A request of the loaded vhart's tenant: struct hosted_request at `address`. Shared lock held. */
void guest_request(struct tenant *host, uint64_t address);

/* COTENANT_HOSTED_LINE. Shared lock held. */
void guest_line(const struct tenant *host, uint64_t value);

/* The level of lines of a guest's PLIC, bits by source. Shared lock held. */
void guest_set_lines(struct tenant *tenant, uint32_t lines, bool level);

/* Makes the entries for what is lent. False: they do not fit, and the guest must not run so. */
bool guest_protect(struct guest *guest);

/*
 * Makes the PMP of this hart ready for the guest's vhart, whose hart it is, in the turn of a vhart
 * of the host. By the host's hart.
 */
void guest_install(const struct guest *guest, struct vhart *vhart, const struct vhart *host);

/* The vhart, which has no turn, is `hart`'s from now on. False: another hart has something of it.
 */
bool guest_bind(struct vhart *vhart, struct hart *hart);

/*
 * The loaded vhart has stored `token` to the turn page of a vhart of a guest. Returns true if the
 * store is done, false if the host waits at it. Shared lock held.
 */
bool guest_turn(struct vhart *host, struct vhart *vhart, uint32_t token);

/*
 * The turn that the vhart has, on this hart, ends for a reason: the host's store is done. The other
 * fields of the run page have been written.
 */
void guest_exit(struct vhart *vhart, uint32_t reason);

/* The vhart has no turn any more, and its host's store is not done. Its own hart. */
void guest_drop(struct vhart *vhart);

/*
 * No vhart of the guest has a turn. False: one has, on another hart, which has been asked to look
 * whether that is over. Shared lock held.
 */
bool guest_is_still(const struct guest *guest);

#endif

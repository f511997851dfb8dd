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
#include <stddef.h>
#include <stdint.h>

#include "abi/hosted.h"
#include "arch/csr.h"
#include "core/feature.h"
#include "core/tenant.h"
#include "features/plic/mmio.h"
#include "features/plic/word_access.h"

struct guest {
    struct tenant *tenant; /* NULL: there is no such guest */
    struct tenant *host;
    uint32_t token;
    uint64_t size; /* bytes that are lent */
    uint64_t view; /* changes whenever what it may touch does */
    /* The PMP entries for it, from the first one on that is kept for guests. */
    uint64_t pmp_address[COTENANT_PMP_ENTRIES];
    uint8_t pmp_config[COTENANT_PMP_ENTRIES];
    /* What its tenant is described by; the memory is what is lent. */
    struct bundle_tenant description;
};

#define NO_VIEW 0

/* What a vhart of a guest does at its next turn before it runs. */
enum guest_owes {
    GUEST_OWES_NOTHING,
    GUEST_OWES_ACCESS, /* goes on behind its load or store, or makes it again and is refused */
    GUEST_OWES_CALL,   /* takes the answer to its call */
    GUEST_IS_REFUSED,  /* or was, in this turn */
};

struct guest_vhart {
    struct vhart *vhart;
    struct vhart *host;     /* whose turn it has, or NULL */
    uint64_t turn_address;  /* of its turn page */
    uint64_t host_switches; /* its count when the turn began */
    uint64_t host_event;    /* its hart's event_deadline then; 0: others had the hart since */
    volatile struct hosted_run *run;
    enum guest_owes owes;
    /* Bits of the host's mstatus with which it can lend its time without moving floating-point
     * registers: FS if the guest shares them, 0 if there are none, all if it has its own. */
    uint64_t fp_status;
    struct word_access access; /* of any size; of a store the register is 0 */
    uint64_t asked;            /* its address, physical */
    uint64_t store_pc;         /* of the host's instruction, */
    struct word_access store;
    uint32_t called; /* 1: another vhart has sent it an IPI that it has not seen */
    /* guest.view for which its PMP entries and its hart's were made, while nothing has changed
     * since; or NO_VIEW. */
    uint64_t view;
    uint32_t token; /* of its guest */
    struct bundle_vhart description;
};

extern struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
extern struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS]; /* by their index */
/* The one that has or had the last turn of a host's vhart, or NULL. By the host's index. */
extern struct guest_vhart *guest_last[COTENANT_MAX_VHARTS];

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
    return (struct guest_vhart *)((uintptr_t)vhart->description -
                                  offsetof(struct guest_vhart, description));
}

/* The vhart, which is loaded, asks its process for own->access; `value`: what it stores. */
static inline void guest_note_access(struct guest_vhart *own, uint64_t address, uint32_t size,
                                     bool store, uint64_t value)
{
    own->access.reg = store ? 0 : own->access.reg;
    own->asked = address;
    own->owes = GUEST_OWES_ACCESS;
    own->run->address = address;
    own->run->size = size;
    own->run->value = value;
}

/* Its turn begins with what the process has answered: from here on each field is read once. */
static inline __attribute__((always_inline)) void guest_settle(struct guest_vhart *own)
{
    uint64_t *registers = own->vhart->world.registers;
    uint64_t behind = registers[REGISTER_PC] + own->access.length;
    enum guest_owes owes = own->owes;

    own->owes = GUEST_OWES_NOTHING;
    if (owes == GUEST_OWES_ACCESS && own->run->reason == COTENANT_HOSTED_ANSWER_FAULT) {
        own->owes = GUEST_IS_REFUSED;
        own->host_event = 0; /* the access is not for switches.c */
    } else if (owes == GUEST_OWES_ACCESS) {
        registers[own->access.reg] = own->run->value;
        registers[REGISTER_PC] = behind; /* in the place of x0 */
    } else if (owes == GUEST_OWES_CALL) {
        registers[REGISTER_A0] = own->run->arguments[0];
        registers[REGISTER_A1] = own->run->arguments[1];
    }
}

/* The guest in a slot of a host; NULL: there is no such slot. */
struct guest *guest_in_slot(const struct tenant *host, uint64_t slot);

/* vhart.calls of guests. At boot. */
const struct sbi_extension *const *guest_calls(void);

/*
 * A request of the loaded vhart's tenant: struct hosted_request at `address`. MMIO_AGAIN: it takes
 * another step, or is interrupted before it has changed anything. Shared lock held.
 */
enum mmio_result guest_request(struct tenant *host, uint64_t address);

/* COTENANT_HOSTED_LINE. Shared lock held. */
void guest_line(const struct tenant *host, uint64_t value);

/* Makes the entries for what is lent. False: they do not fit, and the guest must not run so. */
bool guest_protect(struct guest *guest);

/*
 * Makes the PMP of this hart ready for the guest's vhart, whose hart it is, in the turn of a vhart
 * of the host. False: that was a step, and takes another one. By the host's hart.
 */
bool guest_install(const struct guest *guest, struct vhart *vhart, const struct vhart *host);

/* Accesses by which a guest asks its host for something, and the host lends it time again:
 * mmio_window.switches. */
world_change guest_asks(struct hart *hart, struct vhart *vhart, uint64_t address, bool store);
world_change guest_lend_again(struct hart *hart, struct vhart *host, uint64_t address, bool store);

/*
 * The vhart has no turn and is this hart's from now on, which a vhart of its host has. False:
 * another hart has something of it, and has been asked to look whether that is over. Shared lock
 * held.
 */
bool guest_bind(struct vhart *vhart);

/*
 * The loaded vhart has stored `token` to the turn page of a vhart of a guest. MMIO_DONE: the store
 * is; else the host waits at it. Shared lock held.
 */
enum mmio_result guest_turn(struct vhart *host, struct vhart *vhart, uint32_t token);

/*
 * The turn that the vhart has, on this hart, ends for a reason: the host's store is done, and it is
 * ready. The other fields of the run page have been written. The caller goes on to hart_schedule().
 */
void guest_exit(struct vhart *vhart, uint32_t reason);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a hart asks of vharts that are bound to other harts.
 *
 * Only a vhart's own hart touches its world and its place in the schedule. A hart that wants
 * something of it sets bits in vhart.requests and the vhart's bit in hart.mail, and raises the
 * hart's software interrupt, unless a vhart of higher priority runs there, or the vhart has got an
 * IPI that it has not had the hart to see, and is sent another one: who runs is not disturbed, and
 * the hart looks at its mail when it switches. No hart waits for an answer.
 *
 * tests/models/hart_messages.pml is this protocol. M-mode with interrupts off.
 */
#ifndef COTENANT_CORE_MESSAGES_H
#define COTENANT_CORE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/csr.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/vhart.h"

/* In hart.mail, above the bits of the vharts. */
#define MAIL_WORK (1ul << COTENANT_MAX_VHARTS)

/* Bits of vhart.requests, in the order in which features/harts/requests.c carries them out. */
#define REQUEST_FENCE_I 0x1u  /* FENCE.I before it runs again */
#define REQUEST_HALT 0x2u     /* off the hart: tenant_halt() */
#define REQUEST_IPI 0x4u      /* supervisor software interrupt */
#define REQUEST_START 0x8u    /* hart_start of SBI HSM: vhart.start_* */
#define REQUEST_LOAD 0x10u    /* the tenant's images, then start: the first vhart's hart does it */
#define REQUEST_ROUTING 0x20u /* its interrupts have changed: hook vhart_is_routed */
#define REQUEST_EVENTS 0x40u  /* to look for events: hook vhart_looks_for_events */
#define REQUEST_END_NAP 0x80u /* a switch waits for it: foreground_end_nap_here() */

/* Of features/harts; the rest of the monitor calls them behind HAS(harts). */

/* messages_post() and messages_wake_work(). */
void messages_send(struct vhart *vhart, uint32_t requests);
void messages_send_work(struct hart *hart);

/* Whether any vhart is bound to it. */
bool hart_has_vharts(const struct hart *hart);

/*
 * For boot: lets each hart but the boot hart set itself up and run, one by one, and calls `rest`
 * while it waits. Returns the index of one that did not come within `patience` ticks of mtime, or
 * -1.
 */
int32_t harts_start(const struct hart *boot_hart, void (*rest)(const struct hart *),
                    uint64_t patience);

/* The software interrupt of this hart: carries out what it has been asked for. */
void requests_take(struct hart *hart);

/*
 * Fences of SBI section 8 for the vharts of the caller's tenant whose ids are bits of `targets`,
 * other than the caller itself: all addresses for SFENCE.VMA, or with `instructions` a FENCE.I.
 * Returns when it is done. Shared lock not held.
 */
void remote_fence(const struct vhart *caller, uint64_t targets, bool instructions);

/* Does the fences that other harts have asked of this one. */
void remote_fence_serve(struct hart *hart);

/* Asks for it; `requests` are carried out soon, but not before those of higher priority. */
static inline void messages_post(struct vhart *vhart, uint32_t requests)
{
    if (HAS(harts)) {
        messages_send(vhart, requests);
    }
}

/* Asks for it by the time at which the vhart runs next; does not raise an interrupt. */
void messages_leave(struct vhart *vhart, uint32_t requests);

/* Asks a hart for the next step of core/work.h. */
static inline void messages_wake_work(struct hart *hart)
{
    if (HAS(harts)) {
        messages_send_work(hart);
    }
}

/*
 * Looks at what another hart is to do before a hart that waits for it goes to sleep: longer than
 * all others together have the shared lock on a machine with a processor for each hart, where
 * no hart ever sleeps. An emulator may have fewer, and the other hart is not one of those that run:
 * then sleep gives it a processor, and waiting on would keep it from one.
 */
#define MESSAGES_MOST_LOOKS 1000

/*
 * Sleeps in the middle of something until messages_wake() is called for this hart, or any of its
 * interrupts is pending; may return without reason. Messages stay where they are. Other harts are
 * there, that is hart.msip is not NULL.
 */
void messages_sleep(struct hart *hart);

/* Ends messages_sleep() of that hart, or the next one. Stores before it come before. */
void messages_wake(struct hart *hart);

/*
 * This hart has just decided which vhart runs, `vhart` or, if NULL, none: tells other harts by
 * hart.loaded and scheduler.running. Returns whether mail has come from a hart that may not have
 * seen that yet. One instruction orders it all: what was done through the old translation comes
 * before, the fence and the look at the mail after.
 */
static inline bool messages_publish(struct hart *hart, struct vhart *vhart)
{
    PUBLISH(&hart->loaded, vhart);
    return HAS(harts) && __atomic_load_n(&hart->mail, __ATOMIC_RELAXED) != 0;
}

#endif

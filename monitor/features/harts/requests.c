/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/interrupts.h"
#include "core/foreground.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "core/work.h"
#include "features/harts/unseen.h"
#include "irq/source_set.h"

#define REQUESTS_SHARED                                                                            \
    (REQUEST_HALT | REQUEST_START | REQUEST_LOAD | REQUEST_ROUTING | REQUEST_EVENTS |              \
     REQUEST_END_NAP)

/* The first of them, of which each needs the shared lock, which is held. Returns the others. */
static uint32_t carry_out_first(struct vhart *vhart, uint32_t requests)
{
    uint32_t first = requests & -requests;

    switch (first) {
    case REQUEST_HALT:
        tenant_halt_here(vhart);
        break;
    case REQUEST_START:
        vhart_start_here(vhart);
        break;
    case REQUEST_LOAD:
        tenant_load_here(vhart->tenant);
        break;
    case REQUEST_ROUTING:
        vhart_is_routed(vhart);
        break;
    case REQUEST_EVENTS:
        vhart_looks_for_events(vhart);
        break;
    default:
        foreground_end_nap_here(vhart);
        break;
    }
    return requests & ~first;
}

/*
 * A guest's vhart may be bound to another hart than the one that the mail came to, which then does
 * what is asked for. It is bound under the shared lock; before that is held, the answer may be old.
 */
static bool has_moved(const struct hart *hart, const struct vhart *vhart)
{
    return HAS(hosted) && vhart->world.hart != hart;
}

/* It has its hart; or may get it without that being counted, as a host does from its guest. */
static bool may_see(const struct hart *hart, const struct vhart *vhart)
{
    return hart->loaded == vhart || hart->scheduler.running == &vhart->schedulable ||
           (HAS(hosted) && vhart->tenant->description->guest_count != 0);
}

static void carry_out(struct hart *hart, struct vhart *vhart)
{
    uint32_t requests = 0;

    if (has_moved(hart, vhart)) {
        messages_post(vhart, 0); /* the mail goes after it */
        return;
    }
    requests = __atomic_exchange_n(&vhart->requests, 0, __ATOMIC_ACQUIRE);
    if ((requests & REQUEST_FENCE_I) != 0) {
        FENCE_I();
    }
    if ((requests & REQUEST_IPI) != 0 && vhart->state == VHART_STARTED) {
        vhart_interrupt(vhart, INTERRUPT_SSI);
        messages_note_ipi(vhart, may_see(hart, vhart));
    } else if ((requests & (REQUEST_HALT | REQUEST_START)) != 0) {
        messages_note_ipi(vhart, true); /* it was of another life */
    }
    requests &= REQUESTS_SHARED;
    if (requests == 0) {
        return;
    }
    shared_enter(hart);
    for (bool is_over = false; requests != 0; is_over = step_is_over()) {
        if (is_over || has_moved(hart, vhart)) {
            messages_post(vhart, requests);
            break;
        }
        requests = carry_out_first(vhart, requests);
    }
    shared_leave(hart);
}

/* In a circle: hostile harts can see to it that mail comes, and the hart is wanted, again and
 * again. */
static uint32_t take_turn(struct hart *hart, uint32_t *mail)
{
    uint32_t behind = *mail & ~0u << hart->mail_turn;
    uint32_t index = lowest_bit(behind != 0 ? behind : *mail);

    *mail &= ~(1u << index);
    hart->mail_turn = (uint8_t)((index + 1) % COTENANT_MAX_VHARTS);
    return index;
}

_Static_assert(COTENANT_MAX_VHARTS == SOURCE_SET_WORD_BITS, "a bit for each, and no other one");

/* The hart is looked at behind each vhart, and between what one is asked for: the rest stays in the
 * mail. */
void requests_take(struct hart *hart)
{
    bool wanted = false;
    uint64_t mail;
    uint32_t left;

    *hart->msip = 0;
    FENCE_ALL();
    remote_fence_serve(hart);
    mail = __atomic_exchange_n(&hart->mail, 0, __ATOMIC_ACQUIRE);
    if ((mail & MAIL_WORK) != 0) {
        work_begin();
    }
    for (left = (uint32_t)(mail & (MAIL_WORK - 1)); left != 0 && !wanted;
         wanted = hart_is_wanted()) {
        carry_out(hart, &vharts[take_turn(hart, &left)]);
    }
    if (left != 0) {
        __atomic_fetch_or(&hart->mail, left, __ATOMIC_RELEASE);
        messages_wake(hart);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/interrupts.h"
#include "core/foreground.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "core/work.h"

#define REQUESTS_SHARED                                                                            \
    (REQUEST_HALT | REQUEST_START | REQUEST_LOAD | REQUEST_ROUTING | REQUEST_EVENTS |              \
     REQUEST_END_NAP)

/* What needs the shared lock, which is held. */
static void carry_out_shared(struct vhart *vhart, uint32_t requests)
{
    if ((requests & REQUEST_HALT) != 0) {
        tenant_halt_here(vhart);
    }
    if ((requests & REQUEST_START) != 0) {
        vhart_start_here(vhart);
    }
    if ((requests & REQUEST_LOAD) != 0) {
        tenant_load_here(vhart->tenant);
    }
    if ((requests & REQUEST_ROUTING) != 0) {
        vhart_is_routed(vhart);
    }
    if ((requests & REQUEST_EVENTS) != 0) {
        vhart_looks_for_events(vhart);
    }
    if ((requests & REQUEST_END_NAP) != 0) {
        foreground_end_nap_here(vhart);
    }
}

/*
 * A guest's vhart may be bound to another hart than the one that the mail came to, which then does
 * what is asked for. It is bound under the shared lock; before that is held, the answer may be old.
 */
static bool has_moved(const struct hart *hart, const struct vhart *vhart)
{
    return HAS(hosted) && vhart->world.hart != hart;
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
    }
    if ((requests & REQUESTS_SHARED) != 0) {
        shared_enter(hart);
        if (has_moved(hart, vhart)) {
            messages_post(vhart, requests);
        } else {
            carry_out_shared(vhart, requests);
        }
        shared_leave(hart);
    }
}

void requests_take(struct hart *hart)
{
    uint64_t mail;

    *hart->msip = 0;
    FENCE_ALL();
    remote_fence_serve(hart);
    mail = __atomic_exchange_n(&hart->mail, 0, __ATOMIC_ACQUIRE);
    if ((mail & MAIL_WORK) != 0) {
        work_begin();
    }
    mail &= MAIL_WORK - 1;
    for (uint32_t i = 0; mail != 0; i++, mail >>= 1) {
        if ((mail & 1) != 0) {
            carry_out(hart, &vharts[i]);
        }
    }
}

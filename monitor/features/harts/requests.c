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

static void carry_out(struct hart *hart, struct vhart *vhart)
{
    uint32_t requests = __atomic_exchange_n(&vhart->requests, 0, __ATOMIC_ACQUIRE);

    if ((requests & REQUEST_FENCE_I) != 0) {
        FENCE_I();
    }
    if ((requests & REQUEST_IPI) != 0 && vhart->state == VHART_STARTED) {
        vhart_interrupt(vhart, INTERRUPT_SSI);
    }
    if ((requests & REQUESTS_SHARED) != 0) {
        shared_enter(hart);
        carry_out_shared(vhart, requests);
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

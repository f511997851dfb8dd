/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/messages.h"

#include "arch/interrupts.h"
#include "core/console.h"
#include "core/foreground.h"
#include "core/lifecycle.h"
#include "core/remote_fence.h"
#include "core/shared_lock.h"
#include "core/software_events.h"
#include "irq/routing.h"

/* In hart.mail, above the bits of the vharts. */
#define MAIL_CONSOLE (1ul << COTENANT_MAX_VHARTS)

#define REQUESTS_SHARED                                                                            \
    (REQUEST_HALT | REQUEST_START | REQUEST_LOAD | REQUEST_ROUTING | REQUEST_EVENTS |              \
     REQUEST_END_NAP)

static uint64_t mail_bit(const struct vhart *vhart)
{
    return 1ul << (vhart - vharts);
}

static bool is_busy_with_higher(const struct hart *hart, const struct vhart *vhart)
{
    const struct schedulable *running = __atomic_load_n(&hart->scheduler.running, __ATOMIC_RELAXED);

    return running != NULL && running->priority > vhart->schedulable.priority;
}

void messages_leave(struct vhart *vhart, uint32_t requests)
{
    __atomic_fetch_or(&vhart->requests, requests, __ATOMIC_RELEASE);
    __atomic_fetch_or(&vhart->world.hart->mail, mail_bit(vhart), __ATOMIC_RELEASE);
    FENCE_ALL();
}

void messages_post(struct vhart *vhart, uint32_t requests)
{
    struct hart *hart = vhart->world.hart;

    messages_leave(vhart, requests);
    if (!is_busy_with_higher(hart, vhart)) {
        *hart->msip = 1;
    }
}

void messages_wake_console(struct hart *hart)
{
    __atomic_fetch_or(&hart->mail, MAIL_CONSOLE, __ATOMIC_RELEASE);
    messages_wake(hart);
}

void messages_wake(struct hart *hart)
{
    FENCE_ALL();
    *hart->msip = 1;
}

static bool has_messages(const struct hart *hart)
{
    return __atomic_load_n(&hart->mail, __ATOMIC_RELAXED) != 0 ||
           __atomic_load_n(&hart->fences, __ATOMIC_RELAXED) != 0;
}

void messages_sleep(struct hart *hart)
{
    WAIT_FOR_INTERRUPT();
    if ((CSR_READ(mip) & INTERRUPT_MSI) == 0 || has_messages(hart)) {
        return;
    }
    /* Only messages_wake() has raised it. A message that comes now raises it once more, or is seen
     * here. */
    *hart->msip = 0;
    FENCE_ALL();
    if (has_messages(hart)) {
        *hart->msip = 1;
    }
}

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
        routing_apply(vhart);
    }
    if ((requests & REQUEST_EVENTS) != 0) {
        software_events_deliver(vhart);
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

void messages_take(struct hart *hart)
{
    uint64_t mail;

    *hart->msip = 0;
    FENCE_ALL();
    remote_fence_serve(hart);
    mail = __atomic_exchange_n(&hart->mail, 0, __ATOMIC_ACQUIRE);
    if ((mail & MAIL_CONSOLE) != 0) {
        console_wake_here();
    }
    mail &= MAIL_CONSOLE - 1;
    for (uint32_t i = 0; mail != 0; i++, mail >>= 1) {
        if ((mail & 1) != 0) {
            carry_out(hart, &vharts[i]);
        }
    }
}

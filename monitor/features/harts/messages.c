/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/messages.h"

#include "core/tenant.h"
#include "features/harts/unseen.h"

static uint64_t mail_bit(const struct vhart *vhart)
{
    return 1ul << (vhart - vharts);
}

/*
 * A guest's own host is not: its priority is the next one, and the hart may be its own for as long
 * as it likes without a switch, as it may wait natively.
 */
static bool is_busy_with_higher(const struct hart *hart, const struct vhart *vhart)
{
    const struct schedulable *running = __atomic_load_n(&hart->scheduler.running, __ATOMIC_RELAXED);

    return running != NULL && running->priority > (vhart->schedulable.priority | 1);
}

/*
 * Of each vhart, schedulable.switches + 1 as it was when it got an IPI while another one had the
 * hart; or 0.
 */
static uint64_t unseen[COTENANT_MAX_VHARTS];

void messages_note_ipi(const struct vhart *vhart, bool seen)
{
    __atomic_store_n(&unseen[vhart_index(vhart)], seen ? 0 : vhart->schedulable.switches + 1,
                     __ATOMIC_RELAXED);
}

/*
 * It has not had its hart since: another IPI changes nothing, and whoever has the hart would pay
 * for it. The mail is looked at when it gets the hart.
 */
static bool has_unseen_ipi(const struct vhart *vhart)
{
    return __atomic_load_n(&unseen[vhart_index(vhart)], __ATOMIC_RELAXED) ==
           __atomic_load_n(&vhart->schedulable.switches, __ATOMIC_RELAXED) + 1;
}

void messages_leave(struct vhart *vhart, uint32_t requests)
{
    __atomic_fetch_or(&vhart->requests, requests, __ATOMIC_RELEASE);
    __atomic_fetch_or(&vhart->world.hart->mail, mail_bit(vhart), __ATOMIC_RELEASE);
    FENCE_ALL();
}

void messages_send(struct vhart *vhart, uint32_t requests)
{
    struct hart *hart = vhart->world.hart;

    messages_leave(vhart, requests);
    if (!is_busy_with_higher(hart, vhart) && !(requests == REQUEST_IPI && has_unseen_ipi(vhart))) {
        *hart->msip = 1;
    }
}

void messages_send_work(struct hart *hart)
{
    __atomic_fetch_or(&hart->mail, MAIL_WORK, __ATOMIC_RELEASE);
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

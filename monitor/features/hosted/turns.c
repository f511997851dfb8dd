/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/guest_memory.h"
#include "arch/interrupts.h"
#include "arch/timer.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/wanted.h"
#include "features/hosted/guests.h"

struct guest_vhart *guest_last[COTENANT_MAX_VHARTS];

/* The vhart has no turn any more, and its host's store is not done. Its own hart. */
static void drop(struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    struct hart *hart = vhart->world.hart;

    schedule_stop(&hart->scheduler, &vhart->schedulable);
    /* Its time is its host's. */
    own->host->schedulable.run_time += vhart->schedulable.run_time;
    vhart->schedulable.run_time = 0;
    if (hart->attended_last == &vhart->schedulable) {
        hart->attended_last = NULL;
    }
    hart->attended_vharts--;
    __atomic_store_n(&own->host, NULL, __ATOMIC_SEQ_CST);
}

/* Ends the turn if there is one that is over: the host's vhart has had its hart since it lent its
 * time. Returns whether that is so. */
static bool drop_if_over(const struct guest_vhart *own)
{
    bool over = own->host != NULL && own->host->schedulable.switches != own->host_switches;

    if (over) {
        drop(own->vhart);
    }
    return over;
}

/* The turn of a host's vhart, if there is one. */
static void drop_last(const struct vhart *host)
{
    struct guest_vhart *last = guest_last[host->index];

    if (last != NULL && last->host == host) {
        drop(last->vhart);
    }
}

void guest_exit(struct vhart *vhart, uint32_t reason)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    struct vhart *host = own->host;
    struct hart *hart = vhart->world.hart;

    host->world.registers[REGISTER_PC] += own->store.length;
    drop(vhart);
    schedule_wake(&hart->scheduler, &host->schedulable, hart_now(hart));
    hart->reschedule = true;
    /* One that was called just now, while it seemed to have its turn, does not wait. */
    if (reason == COTENANT_HOSTED_EXIT_IDLE && own->called != 0) {
        own->run->deadline = 0;
    }
    __atomic_store_n(&own->run->reason, reason, __ATOMIC_RELEASE);
}

bool guest_bind(struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);

    if (vhart->world.hart == hart_self()) {
        if (own->host != NULL) {
            drop(vhart); /* over, as the host is here */
        }
        return true;
    }
    /* The registers that it brings are kept when it is said to bring them: features/fp. */
    if (own->host != NULL ||
        __atomic_load_n(&vhart->world.hart->loaded, __ATOMIC_SEQ_CST) == vhart ||
        (vhart->keeps_registers && !__atomic_load_n(&vhart->brings_registers, __ATOMIC_ACQUIRE)) ||
        (HAS(vector) && vhart->has_vectors && vector_is_in_hart(vhart))) {
        messages_post(vhart, REQUEST_EVENTS);
        return false;
    }
    vhart->world.hart = hart_self();
    own->view = NO_VIEW;
    FENCE_I(); /* which the hart before may have been asked for */
    return true;
}

static void see_call(struct guest_vhart *own)
{
    if (__atomic_exchange_n(&own->called, 0, __ATOMIC_SEQ_CST) != 0) {
        vhart_interrupt(own->vhart, INTERRUPT_SSI);
    }
}

/*
 * The host, which has the hart, waits at its store, and the vhart is ready in its place. Or the
 * hart is wanted before, and the store is made again: what comes first does no harm twice.
 */
static void begin(struct vhart *host, struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    struct hart *hart = host->world.hart;
    uint64_t wake = (CSR_READ(mie) & INTERRUPT_STI) != 0 ? timer_deadline(host) : TIME_NEVER;
    uint32_t store = guest_fetch_native(host->world.registers[REGISTER_PC]);

    if (HAS(fp) && own->fp_status == MSTATUS_FS && (host->world.mstatus & MSTATUS_FS) != 0) {
        fp_drop(vhart);
        vhart->brings_registers = false;
        host->world.mstatus |= MSTATUS_FS; /* for its kernel to keep what the guest leaves there */
    } else if (!vhart->keeps_registers) {  /* else features/fp knows where they are */
        vhart->brings_registers = tenant_uses_fp(vhart->tenant);
    }
    own->store_pc = host->world.registers[REGISTER_PC];
    own->store.reg = (store & 3) == 3 ? store >> 20 & 31 : 8 + (store >> 2 & 7);
    own->store.length = (store & 3) == 3 ? 4 : 2;
    if (hart_is_wanted()) {
        return;
    }
    guest_settle(own);
    own->host_switches = host->schedulable.switches;
    __atomic_store_n(&own->host, host, __ATOMIC_SEQ_CST);
    guest_last[host->index] = own;
    host->uses_features = true;
    see_call(own);
    vhart->uses_features = true;
    hart->attended_vharts++;
    /* Busy ones of the host's own priority take turns with its guest, too. */
    vhart->schedulable.priority =
        host->schedulable.priority - (schedule_has_peer(&host->schedulable) ? 0 : 1);
    schedule_wait(&hart->scheduler, &host->schedulable, wake);
    schedule_start(&hart->scheduler, &vhart->schedulable, hart_now(hart));
    hart->scheduler.running = NULL; /* a host that is due at once has the hart anew: it switches */
    hart->reschedule = true;
}

/* Why the guest, which does not run any more, has no turn. */
static uint32_t tell_end(const struct guest_vhart *own, const struct tenant *tenant)
{
    own->run->value = tenant->crash[CRASH_CAUSE];
    own->run->address = tenant->crash[CRASH_ADDRESS];
    own->run->deadline = tenant->crash[CRASH_PC];
    return tenant->outcome.state == TENANT_CRASHED ? COTENANT_HOSTED_EXIT_CRASH
                                                   : COTENANT_HOSTED_EXIT_STOPPED;
}

enum mmio_result guest_turn(struct vhart *host, struct vhart *vhart, uint32_t token)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    const struct guest *guest = guest_of(vhart->tenant);
    bool is_current = token != 0 && token == own->token;
    uint32_t reason = COTENANT_HOSTED_EXIT_NONE;

    if (!is_current || hart_is_wanted()) {
        return is_current ? MMIO_AGAIN : MMIO_DONE;
    }
    drop_last(host); /* over, as the host is here */
    if (vhart->tenant->state != TENANT_RUNNING || vhart->state != VHART_STARTED) {
        reason = tell_end(own, vhart->tenant);
    } else if (guest->size == 0 || !guest_bind(vhart)) {
        /* Without any entry a hart may refuse to leave M-mode, as QEMU does. */
        reason = COTENANT_HOSTED_EXIT_BUSY;
    } else if ((CSR_READ(mip) & CSR_READ(mie) & INTERRUPTS_SUPERVISOR) != 0) {
        if ((host->world.mstatus & (MSTATUS_MPP | MSTATUS_SIE)) != MSTATUS_MPP_S) {
            return MMIO_AGAIN; /* the host takes it before it comes back to the store */
        }
        reason = COTENANT_HOSTED_EXIT_INTERRUPTED;
    }
    if (reason != COTENANT_HOSTED_EXIT_NONE) {
        own->run->reason = reason;
        return MMIO_DONE;
    }
    if (guest_install(guest, vhart, host) && !hart_is_wanted()) {
        begin(host, vhart);
    }
    return MMIO_AGAIN;
}

/* It waits: nothing is left to do in the host's time. */
static void loses_hart(struct vhart *vhart)
{
    if (is_guest(vhart->tenant) && guest_vhart_of(vhart)->host != NULL &&
        vhart->schedulable.state == SCHEDULABLE_WAITING) {
        guest_vhart_of(vhart)->run->deadline = vhart->schedulable.wake;
        guest_exit(vhart, COTENANT_HOSTED_EXIT_IDLE);
    }
}

HOOK(vhart_leaves, loses_hart);

static void gets_hart(struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);

    if (!is_guest(vhart->tenant)) {
        return;
    }
    own->host_event = 0;
    if (drop_if_over(own) || !guest_install(guest_of(vhart->tenant), vhart, own->host)) {
        hart_self()->reschedule = true; /* over, or a step of several */
    } else if (HAS(fp) && !vhart->keeps_registers && own->host->brings_registers) {
        fp_claim(own->host); /* the registers that they share */
    }
}

HOOK(vhart_enters, gets_hart);

/* Another hart has something for it. */
static void is_asked(struct vhart *vhart)
{
    if (is_guest(vhart->tenant)) {
        (void)drop_if_over(guest_vhart_of(vhart));
        see_call(guest_vhart_of(vhart));
    }
}

HOOK(vhart_looks_for_events, is_asked);

/* It is stopped, or a host's vhart is, whose turn cannot go on. */
static void ends(struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);

    if (!is_guest(vhart->tenant)) {
        drop_last(vhart);
        guest_last[vhart->index] = NULL; /* the first turn of another life begins in full */
        return;
    }
    own->view = NO_VIEW;
    if (!drop_if_over(own) && own->host != NULL) {
        guest_exit(vhart, tell_end(own, vhart->tenant));
    }
}

HOOK(vhart_ends, ends);

/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/guest_memory.h"
#include "arch/interrupts.h"
#include "arch/timer.h"
#include "core/attended.h"
#include "core/feature.h"
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
    if (guest_last[host->index] != NULL && guest_last[host->index]->host == host) {
        drop(guest_last[host->index]->vhart);
    }
}

void guest_exit(struct vhart *vhart, uint32_t reason)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    struct vhart *host = own->host;
    struct hart *hart = vhart->world.hart;

    host->world.registers[REGISTER_PC] += own->store_length;
    drop(vhart);
    schedule_wake(&hart->scheduler, &host->schedulable, hart_now(hart));
    /* One that was called just now, while it seemed to have its turn, does not wait. */
    if (reason == COTENANT_HOSTED_EXIT_IDLE && own->called != 0) {
        own->run->deadline = 0;
    }
    __atomic_store_n(&own->run->reason, reason, __ATOMIC_RELEASE);
}

enum mmio_result guest_give_hart(struct vhart *to)
{
    struct hart *hart = to->world.hart;
    struct scheduler *scheduler = &hart->scheduler;

    if (hart->reschedule || scheduler->ready != &to->schedulable ||
        hart->attended_vharts != to->attended || (to->attended != 0 && !is_guest(to->tenant)) ||
        (HAS(fp) && to->brings_registers && hart_is_wanted())) {
        hart->reschedule = true;
        return MMIO_AGAIN;
    }
    if (HAS(fp) && to->brings_registers) {
        fp_claim(to);
    }
    if (to->attended != 0) {
        hart->attended_last = &to->schedulable;
    }
    schedule_charge(scheduler, hart_now(hart));
    scheduler->running = &to->schedulable;
    return MMIO_SWITCH;
}

bool guest_is_still(const struct guest *guest)
{
    bool still = true;

    for (uint32_t id = 0; id < guest->tenant->vhart_count; id++) {
        struct vhart *vhart = &guest->tenant->vharts[id];
        bool has_turn = guest_vhart_of(vhart)->host != NULL;

        if (has_turn && vhart->world.hart == hart_self()) {
            drop(vhart); /* the host has this hart, so the turn is over */
        } else if (has_turn) {
            messages_post(vhart, REQUEST_EVENTS);
            still = false;
        }
    }
    return still;
}

bool guest_bind(struct vhart *vhart, struct hart *hart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);

    if (vhart->world.hart == hart) {
        return true;
    }
    /* The registers that it brings are kept when it is said to bring them: features/fp. */
    if (__atomic_load_n(&vhart->world.hart->loaded, __ATOMIC_SEQ_CST) == vhart ||
        (vhart->keeps_registers && !__atomic_load_n(&vhart->brings_registers, __ATOMIC_ACQUIRE)) ||
        (HAS(vector) && vhart->has_vectors && vector_is_in_hart(vhart))) {
        return false;
    }
    vhart->world.hart = hart;
    guest_has_changed(own);
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        guest_last[i] = guest_last[i] == own ? NULL : guest_last[i];
    }
    FENCE_I(); /* which the hart before may have been asked for */
    return true;
}

/* What the process has answered: from here on each field is read once. */
static void settle(struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    uint64_t *registers = vhart->world.registers;
    uint64_t behind = registers[REGISTER_PC] + own->access.length;
    bool ends_access = (own->owes & GUEST_OWES_ACCESS) != 0;
    bool refused = ends_access && own->run->reason == COTENANT_HOSTED_ANSWER_FAULT;

    own->refused = refused ? ~own->asked : 0; /* the vhart makes the access again */
    if ((own->owes & GUEST_OWES_OTHER) == 0) {
        own->access.sign_extend = true;
        own->access.size = sizeof(uint32_t);
    }
    if (ends_access && !refused) {
        registers[own->access.reg] = instruction_load_result(&own->access, own->run->value);
        registers[REGISTER_PC] = behind; /* in the place of x0 */
    } else if ((own->owes & GUEST_OWES_CALL) != 0) {
        registers[REGISTER_A0] = own->run->arguments[0];
        registers[REGISTER_A1] = own->run->arguments[1];
    }
    own->owes = 0;
}

static void see_call(struct guest_vhart *own)
{
    if (__atomic_exchange_n(&own->called, 0, __ATOMIC_SEQ_CST) != 0) {
        vhart_interrupt(own->vhart, INTERRUPT_SSI);
    }
}

/* The host, which has the hart, waits at its store, and the vhart is ready in its place. */
static enum mmio_result begin(struct vhart *host, struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    struct hart *hart = host->world.hart;
    uint64_t wake = (CSR_READ(mie) & INTERRUPT_STI) != 0 ? timer_deadline(host) : TIME_NEVER;
    uint32_t store = guest_fetch_native(host->world.registers[REGISTER_PC]);
    enum mmio_result result;

    settle(vhart);
    if (own->fp_status == MSTATUS_FS && (host->world.mstatus & MSTATUS_FS) != 0) {
        guest_forget_fp(vhart);
        vhart->brings_registers = false;
        host->world.mstatus |= MSTATUS_FS; /* for its kernel to keep what the guest leaves there */
    } else if (!vhart->keeps_registers) {  /* else features/fp knows where they are */
        vhart->brings_registers = tenant_uses_fp(vhart->tenant);
    }
    own->store_pc = host->world.registers[REGISTER_PC];
    own->store_register = (store & 3) == 3 ? store >> 20 & 31 : 8 + (store >> 2 & 7);
    own->store_length = (store & 3) == 3 ? 4 : 2;
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
    own->host_event = hart->event_deadline;
    result = guest_give_hart(vhart);
    own->undisturbed = result == MMIO_SWITCH && hart->attended_vharts == 1 &&
                       !host->brings_registers && own->refused == 0;
    return result;
}

enum mmio_result guest_turn(struct vhart *host, struct vhart *vhart, uint32_t token)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    const struct guest *guest = guest_of(vhart->tenant);
    uint32_t reason = COTENANT_HOSTED_EXIT_NONE;

    if (token == 0 || token != guest->token || own->run == NULL) {
        return MMIO_DONE;
    }
    drop_last(host); /* over, as the host is here */
    /* Without any entry a hart may refuse to leave M-mode, as QEMU does. */
    if (vhart->tenant->state != TENANT_RUNNING || vhart->state != VHART_STARTED ||
        guest->size == 0) {
        reason = COTENANT_HOSTED_EXIT_STOPPED;
    } else if (own->host != NULL || !guest_bind(vhart, host->world.hart)) {
        messages_post(vhart, REQUEST_EVENTS);
        reason = COTENANT_HOSTED_EXIT_BUSY;
    } else if ((CSR_READ(mip) & CSR_READ(mie) & INTERRUPTS_SUPERVISOR) != 0) {
        if ((host->world.mstatus & (MSTATUS_MPP | MSTATUS_SIE)) != MSTATUS_MPP_S) {
            return MMIO_AGAIN; /* the host takes it before it comes back to the store */
        }
        reason = COTENANT_HOSTED_EXIT_INTERRUPTED;
    }
    if (reason == COTENANT_HOSTED_EXIT_NONE) {
        return guest_install(guest, vhart, host) ? begin(host, vhart) : MMIO_AGAIN;
    }
    own->run->reason = reason;
    return MMIO_DONE;
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
    own->undisturbed = false;
    if (drop_if_over(own) || !guest_install(guest_of(vhart->tenant), vhart, own->host)) {
        hart_self()->reschedule = true; /* over, or a step of several */
        return;
    }
    if (HAS(fp) && !vhart->keeps_registers && own->host->brings_registers) {
        fp_claim(own->host); /* the registers that they share */
    }
}

HOOK(vhart_enters, gets_hart);

/* Another hart has something for it, which may be bound elsewhere by now. */
static void is_asked(struct vhart *vhart)
{
    if (is_guest(vhart->tenant) && vhart->world.hart != hart_self()) {
        messages_post(vhart, REQUEST_EVENTS);
    } else if (is_guest(vhart->tenant)) {
        (void)drop_if_over(guest_vhart_of(vhart));
        see_call(guest_vhart_of(vhart));
    }
}

HOOK(vhart_looks_for_events, is_asked);

/* It is stopped, or a host's vhart is, whose turn cannot go on. */
static void ends(struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    const struct tenant *tenant = vhart->tenant;

    if (!is_guest(tenant)) {
        drop_last(vhart);
        return;
    }
    guest_has_changed(own);
    (void)drop_if_over(own);
    if (own->host != NULL) {
        own->run->value = tenant->crash[CRASH_CAUSE];
        own->run->address = tenant->crash[CRASH_ADDRESS];
        own->run->deadline = tenant->crash[CRASH_PC];
        guest_exit(vhart, tenant->outcome.state == TENANT_CRASHED ? COTENANT_HOSTED_EXIT_CRASH
                                                                  : COTENANT_HOSTED_EXIT_STOPPED);
    }
}

HOOK(vhart_ends, ends);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two switches that happen all the time between a host and its guest: the guest asks for a
 * device, and the host, which has served it, gives it its next turn. Each does what guest_exit()
 * and guest_turn() do and what the scheduler would do then, or leaves it to them with nothing done.
 * A vhart that has its next turn here has had one on this hart, and was looked at then: all that
 * could have changed since makes guest_vhart.view another one. tests/system/test_hosted.py holds
 * the counts.
 */
#include "arch/csr.h"
#include "arch/guest_fetch.h"
#include "entry/fast_switch.h"
#include "features/hosted/guests.h"

/* What fast_hand_over() does, between two whose time is the host's. */
static inline __attribute__((always_inline)) world_change
give(struct hart *hart, struct vhart *from, struct vhart *to, uint64_t event)
{
    hart->scheduler.running = &to->schedulable;
    hart->scheduler.ready = &to->schedulable;
    to->schedulable.state = SCHEDULABLE_READY;
    if (!timer_is_native(hart) && to->world.deadline <= hart_now(hart)) {
        to->world.deadline = TIME_NEVER;
        to->world.pending |= INTERRUPT_STI;
    }
    timer_program(hart, to, event);
    fast_publish(hart, to);
    return change_world(&from->world, &to->world);
}

/* What fast_foresee() asks of one that is due before the host. */
static inline bool preempts(const struct schedulable *due, const struct schedulable *host)
{
    const struct vhart *vhart = vhart_of((struct schedulable *)due);

    return due->priority > host->priority && vhart->special == 0;
}

world_change guest_lend_again(struct hart *hart, struct vhart *host, uint64_t address, bool store)
{
    struct guest_vhart *own = guest_last[host->index];
    uint64_t enabled = CSR_READ(mie) & INTERRUPTS_SUPERVISOR;
    struct schedulable *next = host->schedulable.next;
    struct schedulable *due;
    struct vhart *vhart;
    uint64_t deadline;
    uint64_t event = hart->event_deadline;

    (void)store;
    /* The instruction is the store of its last turn, unless the program has changed it for itself:
     * any other gives a turn, too. */
    if (own == NULL || own->turn_address != address || own->view == NO_VIEW ||
        host->world.registers[REGISTER_PC] != own->store_pc ||
        (uint32_t)host->world.registers[own->store.reg] != own->token || own->called != 0 ||
        (CSR_READ(mip) & (INTERRUPTS_MACHINE | enabled)) != 0 ||
        (host->world.mstatus & own->fp_status) != own->fp_status) {
        return NO_CHANGE;
    }
    vhart = own->vhart;
    if (own->host != NULL) {
        if (next != &vhart->schedulable) {
            return NO_CHANGE;
        }
        next = next->next; /* it was interrupted in its turn, and is still ready */
    }
    if (hart->attended_vharts != (own->host != NULL) || vhart->world.hart != hart ||
        (next != NULL && next->priority == host->schedulable.priority)) {
        return NO_CHANGE;
    }
    own->host_switches = host->schedulable.switches;
    own->host_event = event;
    own->host = host;
    guest_settle(own);
    hart->attended_vharts = 1;
    hart->attended_last = &vhart->schedulable;
    vhart->schedulable.next = next;
    deadline = (enabled & INTERRUPT_STI) == 0 ? TIME_NEVER
               : timer_is_native(hart)        ? read_stimecmp()
                                              : host->world.deadline;
    insert_in_line(&hart->scheduler, &host->schedulable, SCHEDULABLE_WAITING, deadline);
    due = hart->scheduler.waiting;
    /* The host has no budget: it is attended to no more than others of the hart. */
    hart->next_up = due == &host->schedulable || preempts(due, &host->schedulable) ? due : NULL;
    return give(hart, host, vhart, deadline < event ? deadline : event);
}

world_change guest_asks(struct hart *hart, struct vhart *vhart, uint64_t address, bool store)
{
    uint32_t instruction = guest_fetch_in_line(vhart->world.registers[REGISTER_PC]);
    struct guest_vhart *own = guest_vhart_of(vhart);
    struct vhart *host = own->host;
    uint64_t value;

    if (own->host_event == 0 || (CSR_READ(mip) & INTERRUPTS_MACHINE) != 0 ||
        !decode_word(instruction, store, &own->access)) {
        return NO_CHANGE;
    }
    value = store ? stored_value(vhart, own->access.reg) : 0;
    guest_note_access(own, address, sizeof(uint32_t), store, value);
    own->run->reason = store ? COTENANT_HOSTED_EXIT_STORE : COTENANT_HOSTED_EXIT_LOAD;
    own->host = NULL;
    host->world.registers[REGISTER_PC] += own->store.length;
    hart->attended_vharts = 0;
    hart->attended_last = NULL;
    vhart->schedulable.state = SCHEDULABLE_OFF;
    hart->next_up = NULL;
    remove_waiting(&hart->scheduler, &host->schedulable);
    host->schedulable.next = vhart->schedulable.next;
    return give(hart, vhart, host, own->host_event);
}

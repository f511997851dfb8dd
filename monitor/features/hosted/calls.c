/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI calls of guests. What needs nothing but the vhart itself is served by the monitor's own
 * handlers; the others are the process's.
 */
#include "arch/interrupts.h"
#include "core/messages.h"
#include "features/hosted/guests.h"
#include "sbi/sbi.h"

/* The process answers: the guest's vhart goes on behind the call at its next turn. */
static struct sbi_result leave_to_process(struct vhart *vhart, uint64_t function,
                                          const uint64_t *arguments)
{
    struct guest_vhart *own = guest_vhart_of(vhart);

    (void)function;
    for (unsigned i = 0; i < 8; i++) {
        own->run->arguments[i] = arguments[i]; /* a0 to a7 */
    }
    own->owes = GUEST_OWES_CALL;
    guest_exit(vhart, COTENANT_HOSTED_EXIT_SBI);
    return sbi_no_return();
}

/* Its vharts that have no turn are the process's to wake, after the call has been done. */
static struct sbi_result call_ipi(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    struct tenant *tenant = vhart->tenant;
    uint64_t targets;
    long error = sbi_hart_mask(tenant, arguments[0], arguments[1], &targets);
    bool asleep = false;

    if (function != SBI_IPI_SEND_IPI || error != SBI_SUCCESS) {
        return sbi_error(function != SBI_IPI_SEND_IPI ? SBI_ERR_NOT_SUPPORTED : error);
    }
    for (uint32_t id = 0; id < tenant->vhart_count; id++) {
        struct vhart *target = &tenant->vharts[id];
        struct guest_vhart *theirs = guest_vhart_of(target);

        if (target != vhart && (targets >> id & 1) != 0) {
            __atomic_store_n(&theirs->called, 1, __ATOMIC_SEQ_CST);
            asleep |= __atomic_load_n(&theirs->host, __ATOMIC_SEQ_CST) == NULL;
            messages_post(target, REQUEST_EVENTS); /* it may get its turn just now */
        }
    }
    if ((targets >> vhart->world.vhart_id & 1) != 0) {
        vhart_interrupt(vhart, INTERRUPT_SSI);
    }
    if (asleep) {
        (void)leave_to_process(vhart, function, arguments);
        guest_vhart_of(vhart)->owes = GUEST_OWES_NOTHING;
    }
    return sbi_value(0);
}

/* The same answers for all, but to what there is. */
static struct sbi_result own_base(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    return function == SBI_BASE_PROBE_EXTENSION ? leave_to_process(vhart, function, arguments)
                                                : sbi_base(vhart, function, arguments);
}

const struct sbi_extension *const *guest_calls(void)
{
    static const struct sbi_extension *slots[SBI_SLOTS];
    static struct sbi_extension own[SBI_SLOTS];

    for (uint32_t i = 0; i < SBI_SLOTS; i++) {
        uint64_t id = sbi_slots[i] == NULL ? SBI_EXT_TIME : sbi_slots[i]->id;

        slots[i] = sbi_slots[i];
        if (id != SBI_EXT_TIME && id != SBI_EXT_RFENCE) {
            own[i].id = id;
            own[i].handler = id == SBI_EXT_BASE  ? own_base
                             : id == SBI_EXT_IPI ? call_ipi
                                                 : leave_to_process;
            slots[i] = &own[i];
        }
    }
    return slots;
}

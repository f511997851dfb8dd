/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI calls of guests. What needs nothing but the vhart itself is served by the monitor's own
 * handlers; the others are the process's, and so these extensions pass through here, for all
 * tenants, where the system has guests.
 */
#include "arch/interrupts.h"
#include "core/messages.h"
#include "features/hosted/guests.h"
#include "sbi/sbi.h"

static sbi_handler divert, probe;

static sbi_handler *base; /* of SBI_EXT_BASE */

void guest_divert_calls(void)
{
    /* As many as there are places of extensions, sbi/dispatch.c. */
    static struct sbi_extension diverted[32];
    struct sbi_extension *next = diverted;

    FOR_EACH_IN_TABLE(sbi_extensions, extension)
    {
        if (extension->id != SBI_EXT_TIME && extension->id != SBI_EXT_RFENCE &&
            sbi_is_offered(extension->id)) {
            *next = *extension;
            next->handler = extension->id == SBI_EXT_BASE ? probe : divert;
            base = extension->id == SBI_EXT_BASE ? extension->handler : base;
            sbi_withdraw(extension->id);
            (void)sbi_offer(next++);
        }
    }
}

/* The process answers: the guest's vhart goes on behind the call at its next turn. */
static struct sbi_result leave_to_process(struct vhart *vhart)
{
    struct guest_vhart *own = guest_vhart_of(vhart);

    for (unsigned i = 0; i < 8; i++) {
        own->run->arguments[i] = vhart->world.registers[REGISTER_A0 + i];
    }
    own->owes = GUEST_OWES_CALL;
    guest_exit(vhart, COTENANT_HOSTED_EXIT_SBI);
    vhart->world.hart->reschedule = true;
    return sbi_no_return();
}

/* Its vharts that have no turn are the process's to wake, after the call has been done. */
static struct sbi_result send_ipi(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
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

        if ((targets >> id & 1) == 0) {
            continue;
        }
        if (target == vhart) {
            vhart_interrupt(vhart, INTERRUPT_SSI);
            continue;
        }
        __atomic_store_n(&theirs->called, 1, __ATOMIC_SEQ_CST);
        asleep |= __atomic_load_n(&theirs->host, __ATOMIC_SEQ_CST) == NULL;
        messages_post(target, REQUEST_EVENTS); /* it may get its turn just now */
    }
    if (asleep) {
        (void)leave_to_process(vhart);
        guest_vhart_of(vhart)->owes = GUEST_OWES_CARE;
    }
    return sbi_value(0);
}

static struct sbi_result divert(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    uint64_t id = vhart->world.registers[REGISTER_A7];
    const struct sbi_extension *place = __start_sbi_extensions;

    if (is_guest(vhart->tenant)) {
        return id == SBI_EXT_IPI ? send_ipi(vhart, function, arguments) : leave_to_process(vhart);
    }
    while (place->id != id) {
        place++; /* it is one of them */
    }
    return place->handler(vhart, function, arguments);
}

/* The same answers for all, but to what there is. */
static struct sbi_result probe(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    return function == SBI_BASE_PROBE_EXTENSION ? divert(vhart, function, arguments)
                                                : base(vhart, function, arguments);
}

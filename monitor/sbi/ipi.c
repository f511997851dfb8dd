/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI section 7: inter-processor interrupts. */
#include "arch/interrupts.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "sbi/sbi.h"

/*
 * A stopped vhart gets none; one of another hart may stop or start before it looks. Returns whether
 * it has been asked of another one.
 */
static bool send(const struct vhart *sender, struct vhart *target)
{
    if (!SEVERAL_VHARTS || target == sender) {
        vhart_interrupt(target, INTERRUPT_SSI);
        return false;
    }
    if (target->state != VHART_STARTED) {
        return false;
    }
    messages_post(target, REQUEST_IPI);
    return true;
}

static struct sbi_result sbi_ipi(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    struct tenant *tenant = vhart->tenant;
    uint64_t sent = 0;
    uint64_t targets;
    long error;

    if (function != SBI_IPI_SEND_IPI) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    error = sbi_hart_mask(tenant, arguments[0], arguments[1], &targets);
    if (error != SBI_SUCCESS) {
        return sbi_error(error);
    }
    for (uint32_t id = 0; id < tenant_vhart_count(tenant); id++) {
        if ((targets >> id & 1) != 0 && send(vhart, &tenant->vharts[id])) {
            sent |= 1ul << id;
        }
    }
    if (sent != 0) {
        firmware_requests(vhart, sent, SBI_PMU_FW_IPI_SENT, SBI_PMU_FW_IPI_RECEIVED);
    }
    return sbi_value(0);
}

SBI_EXTENSION(SBI_EXT_IPI, sbi_ipi, SBI_AT_ONCE);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 9: hart state management. The core calls the rest of this feature, the shared lock,
 * messages and remote fences, by its functions, behind HAS(harts): on paths that have to be short.
 */
#include "arch/vhart_setup.h"
#include "core/feature.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "features/harts/stop.h"
#include "features/susp/suspend.h"
#include "sbi/sbi.h"

static struct sbi_result hart_start(struct tenant *tenant, const uint64_t *arguments)
{
    uint64_t id = arguments[0];
    uint64_t address = arguments[1];
    struct vhart *target;

    if (id >= tenant->vhart_count) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    target = &tenant->vharts[id];
    if (!sbi_may_start_at(tenant, address)) {
        return sbi_error(SBI_ERR_INVALID_ADDRESS); /* before the state counts, as OpenSBI has it */
    }
    if (target->state != VHART_STOPPED) {
        return sbi_error(SBI_ERR_ALREADY_AVAILABLE);
    }
    if (tenant->state != TENANT_RUNNING) {
        return sbi_error(SBI_ERR_FAILED); /* it is about to lose all its harts */
    }
    vhart_prepare_start(target, address, arguments[2]);
    if (hart_is_self(target->world.hart)) {
        vhart_start_here(target);
    } else {
        messages_post(target, REQUEST_START);
    }
    return sbi_value(0);
}

static struct sbi_result hart_stop(struct vhart *vhart)
{
    vhart_stop(vhart);
    return sbi_no_return();
}

static struct sbi_result hart_status(const struct tenant *tenant, uint64_t id)
{
    if (id >= tenant->vhart_count) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    switch (tenant->vharts[id].state) {
    case VHART_STARTED:
        return sbi_value(vhart_is_suspended(&tenant->vharts[id]) ? SBI_HSM_STATE_SUSPENDED
                                                                 : SBI_HSM_STATE_STARTED);
    case VHART_START_PENDING:
        return sbi_value(SBI_HSM_STATE_START_PENDING);
    case VHART_SUSPENDED:
        return sbi_value(SBI_HSM_STATE_SUSPENDED);
    case VHART_RESUME_PENDING:
        return sbi_value(SBI_HSM_STATE_RESUME_PENDING);
    case VHART_STOPPED:
        break;
    }
    return sbi_value(SBI_HSM_STATE_STOPPED);
}

/*
 * A suspended hart wakes on any interrupt that it has enabled, as from WFI. In a retentive suspend
 * it goes on after the call; else at an address of its own with satp and sstatus.SIE 0.
 */
static struct sbi_result hart_suspend(struct vhart *vhart, const uint64_t *arguments)
{
    uint64_t type = arguments[0] & UINT32_MAX;
    uint64_t address = arguments[1];

    if (type == SBI_HSM_SUSPEND_RETENTIVE) {
        vhart->world.registers[REGISTER_A0] = SBI_SUCCESS;
        vhart->world.registers[REGISTER_A1] = 0;
        vhart_suspend(vhart, false);
        return sbi_no_return();
    }
    if (type != SBI_HSM_SUSPEND_NON_RETENTIVE) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (!sbi_may_start_at(vhart->tenant, address)) {
        return sbi_error(SBI_ERR_INVALID_ADDRESS);
    }
    vhart_setup_resume(vhart, address, arguments[2]);
    vhart_suspend(vhart, false);
    return sbi_no_return();
}

static struct sbi_result sbi_hsm(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    switch (function) {
    case SBI_HSM_HART_START:
        return hart_start(vhart->tenant, arguments);
    case SBI_HSM_HART_STOP:
        return hart_stop(vhart);
    case SBI_HSM_HART_GET_STATUS:
        return hart_status(vhart->tenant, arguments[0]);
    case SBI_HSM_HART_SUSPEND:
        return hart_suspend(vhart, arguments);
    default:
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
}

SBI_EXTENSION(SBI_EXT_HSM, sbi_hsm, SBI_SHARED);
FEATURE(harts);

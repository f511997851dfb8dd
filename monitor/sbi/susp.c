/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 13: system suspend. The system is the tenant; suspended to RAM it sleeps until an
 * interrupt that its hart has enabled is pending. What else is on the machine goes on meanwhile.
 */
#include "arch/suspend.h"
#include "arch/vhart_setup.h"
#include "sbi/sbi.h"

/* Entry criterion of SUSPEND_TO_RAM: all but the calling hart are stopped. */
static bool others_are_stopped(const struct vhart *caller)
{
    const struct tenant *tenant = caller->tenant;

    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        if (&tenant->vharts[i] != caller && tenant->vharts[i].state != VHART_STOPPED) {
            return false;
        }
    }
    return true;
}

struct sbi_result sbi_susp(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    uint64_t type = arguments[0] & UINT32_MAX;
    uint64_t address = arguments[1];

    if (function != SBI_SUSP_SYSTEM_SUSPEND) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    if (type != SBI_SUSP_TO_RAM) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if ((address & 1) != 0 || !tenant_owns_memory(vhart->tenant, address, 2)) {
        return sbi_error(SBI_ERR_INVALID_ADDRESS);
    }
    if (!others_are_stopped(vhart)) {
        return sbi_error(SBI_ERR_DENIED);
    }
    vhart_setup_resume(vhart, address, arguments[2]);
    vhart_suspend(vhart);
    return sbi_no_return();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 13: system suspend. The system is the tenant; suspended to RAM it sleeps until an
 * interrupt that its hart has enabled is pending. What else is on the machine goes on meanwhile.
 */
#include "arch/csr.h"
#include "arch/interrupts.h"
#include "arch/vhart_setup.h"
#include "core/clock.h"
#include "core/feature.h"
#include "core/foreground.h"
#include "core/hart.h"
#include "core/lifecycle.h"
#include "features/susp/suspend.h"
#include "sbi/sbi.h"

/*
 * How long the caller's other harts may take to stop. They need some microseconds, of the tenant's
 * own time; on a machine that is emulated, the one below may not run for seconds meanwhile.
 */
#define MOST_WAIT_US 10000000

/* Entry criterion of SUSPEND_TO_RAM: all but the calling hart are stopped. */
static bool others_are_stopped(const struct vhart *caller)
{
    const struct tenant *tenant = caller->tenant;
    const struct vhart *vhart = tenant->vharts;

    if (tenant_vhart_count(tenant) == 1) {
        return true;
    }
    for (uint32_t left = tenant_vhart_count(tenant); left != 0; left--, vhart++) {
        if (vhart != caller && vhart->state != VHART_STOPPED) {
            return false;
        }
    }
    return true;
}

/*
 * Linux suspends as soon as it has told its other harts to go offline, which they may not have done
 * yet. Asking again takes the tenant's own time, and a vhart of higher priority comes in between.
 */
static long wait_for_others(struct vhart *vhart)
{
    uint64_t now = hart_now(vhart->world.hart);
    uint64_t most = ticks_from_us(MOST_WAIT_US);
    uint64_t *since = &suspend_of(vhart)->waiting_since;
    uint64_t waited = now - *since;

    /* An attempt that was given up long ago does not count. */
    if (*since == 0 || waited > 2 * most) {
        *since = now;
        vhart->uses_features = true;
    } else if (waited > most) {
        *since = 0;
        foreground_refused(vhart->tenant, "its suspend was refused: other harts still run");
        return SBI_ERR_DENIED;
    }
    return SBI_REPEAT;
}

/* SUSPEND_TO_RAM; returns an error or SBI_NO_RETURN or SBI_REPEAT, as the next one. */
static long suspend_to_ram(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    if (!sbi_may_start_at(vhart->tenant, address)) {
        foreground_refused(vhart->tenant,
                           "its suspend was refused: it would resume outside of its memory");
        return SBI_ERR_INVALID_ADDRESS;
    }
    if (vhart->tenant->state != TENANT_RUNNING) {
        return SBI_REPEAT; /* another hart stops it: the message is on its way */
    }
    if (!others_are_stopped(vhart)) {
        return wait_for_others(vhart);
    }
    if (vhart->uses_features) {
        suspend_of(vhart)->waiting_since = 0;
    }
    vhart->tenant->suspends++;
    if (!foreground_suspend(vhart, address, argument)) {
        vhart_setup_resume(vhart, address, argument);
        vhart_suspend(vhart, true);
    }
    return SBI_NO_RETURN;
}

static long suspend_system(struct vhart *vhart, const uint64_t *arguments)
{
    if ((arguments[0] & UINT32_MAX) != SBI_SUSP_TO_RAM) {
        foreground_refused(vhart->tenant, "its suspend was refused: not to RAM");
        return SBI_ERR_INVALID_PARAM;
    }
    return suspend_to_ram(vhart, arguments[1], arguments[2]);
}

static struct sbi_result sbi_susp(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    return sbi_error(function == SBI_SUSP_SYSTEM_SUSPEND ? suspend_system(vhart, arguments)
                                                         : SBI_ERR_NOT_SUPPORTED);
}

SBI_EXTENSION(SBI_EXT_SUSP, sbi_susp, SBI_SHARED);
FEATURE(susp);

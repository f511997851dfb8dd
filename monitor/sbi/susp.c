/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 13: system suspend. The system is the tenant; suspended to RAM it sleeps until an
 * interrupt that its hart has enabled is pending. What else is on the machine goes on meanwhile.
 */
#include "arch/csr.h"
#include "arch/interrupts.h"
#include "arch/suspend.h"
#include "arch/vhart_setup.h"
#include "core/clock.h"
#include "core/foreground.h"
#include "core/give_back.h"
#include "core/hart.h"
#include "core/lifecycle.h"
#include "sbi/sbi.h"

/* How long the caller's other harts may take to stop. */
#define MOST_WAIT_US 1000000

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

/*
 * Linux suspends as soon as it has told its other harts to go offline, which they may not have done
 * yet. Asking again takes the tenant's own time, and whoever is more urgent comes in between.
 */
static struct sbi_result wait_for_others(struct vhart *vhart)
{
    uint64_t now = hart_now(vhart->world.hart);
    uint64_t most = ticks_from_us(MOST_WAIT_US);
    uint64_t waited = now - vhart->suspending_since;

    /* An attempt that was given up long ago does not count. */
    if (vhart->suspending_since == 0 || waited > 2 * most) {
        vhart->suspending_since = now;
    } else if (waited > most) {
        vhart->suspending_since = 0;
        foreground_refused(vhart->tenant, "its suspend was refused: other harts still run");
        return sbi_error(SBI_ERR_DENIED);
    }
    return sbi_repeat();
}

static bool shares_memory(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        for (uint32_t end = 0; end < channel->end_count && channel->window.size != 0; end++) {
            if (bundle->devices[channel->ends[end].device].tenant == tenant->index) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Makes room for the next one, with looks at interrupts in between: false if the call is to be made
 * again because somebody more urgent wants the hart. What is between the two calls must not be able
 * to undo a part: the tenant's own interrupts are off, its devices write to no memory any more, and
 * where software events or another tenant could lead it elsewhere, all is done at once.
 */
static bool gives_back(struct vhart *vhart)
{
    vhart->world.mstatus &= ~(uint64_t)MSTATUS_SIE;
    while (give_back_step(vhart->tenant)) {
        if (hart_is_wanted() && !vhart->takes_events && !shares_memory(vhart->tenant)) {
            return false;
        }
    }
    return true;
}

struct sbi_result sbi_susp(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    uint64_t type = arguments[0] & UINT32_MAX;
    uint64_t address = arguments[1];
    struct tenant *next;

    if (function != SBI_SUSP_SYSTEM_SUSPEND) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    if (type != SBI_SUSP_TO_RAM) {
        foreground_refused(vhart->tenant, "its suspend was refused: not to RAM");
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (!sbi_may_start_at(vhart->tenant, address)) {
        foreground_refused(vhart->tenant,
                           "its suspend was refused: it would resume outside of its memory");
        return sbi_error(SBI_ERR_INVALID_ADDRESS);
    }
    if (!others_are_stopped(vhart)) {
        return wait_for_others(vhart);
    }
    vhart->suspending_since = 0;
    watch_pause(vhart->tenant);
    next = foreground_next(vhart->tenant);
    if (next != NULL && !gives_back(vhart)) {
        return sbi_repeat();
    }
    if (foreground_suspend(vhart, next, address, arguments[2])) {
        return sbi_no_return();
    }
    vhart_setup_resume(vhart, address, arguments[2]);
    if (vhart->tenant->given_back == 0) {
        vhart_suspend(vhart);
    }
    vhart->tenant->given_back = 0; /* who was to come has gone meanwhile: it goes on at once */
    return sbi_no_return();
}

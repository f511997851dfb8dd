/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way to power-off, as steps of work: one tenant after the other is stopped, then what they and
 * the monitor said last goes out on the console.
 */
#include <stddef.h>

#include "core/console.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/tenant.h"
#include "core/work.h"
#include "device/reset.h"

static void stop_one(void)
{
    bool waits = tenants_stopping != 0;

    for (uint32_t i = 0; i < tenant_count; i++) {
        if (tenants[i].state == TENANT_RUNNING || tenants[i].state == TENANT_LOADING) {
            tenant_halt(&tenants[i], TENANT_STOPPED);
            return;
        }
    }
    power_off_waits(&waits);
    if (!waits && console_is_drained()) {
        const struct reset reset = {bundle->board.reset_kind, bundle->board.reset_base};

        reset_power_off(&reset);
    }
}

static unsigned power_off_step(uint64_t now)
{
    (void)now;
    if (!lifecycle_leads_to_power_off()) {
        return WORK_NOTHING;
    }
    lifecycle_quit();
    stop_one();
    return WORK_DONE;
}

WORK(power_off, NULL, power_off_step);

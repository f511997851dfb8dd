/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/watch/watchdog.h"

#include "core/hart.h"
#include "core/hooks.h"
#include "features/plic/mmio.h"
#include "features/watch/watch.h"

static struct watchdog {
    uint32_t config;
    uint32_t mode;
} watchdogs[COTENANT_MAX_TENANTS];

uint32_t watchdog_read(const struct tenant *tenant, uint64_t offset)
{
    switch (offset) {
    case WATCHDOG_CONFIG:
        return watchdogs[tenant->index].config;
    case WATCHDOG_MODE:
        return watchdogs[tenant->index].mode;
    default:
        return 0;
    }
}

static void set_mode(struct tenant *tenant, uint32_t mode, uint64_t now)
{
    watchdogs[tenant->index].mode = mode & WATCHDOG_MODE_BITS;
    if ((mode & WATCHDOG_MODE_ENABLE) != 0) {
        watch_heartbeat(tenant, now);
    } else {
        watch_pause(tenant);
    }
}

void watchdog_write(struct tenant *tenant, uint64_t offset, uint32_t value, uint64_t now)
{
    switch (offset) {
    case WATCHDOG_CONTROL:
        if (value == WATCHDOG_RELOAD &&
            (watchdogs[tenant->index].mode & WATCHDOG_MODE_ENABLE) != 0) {
            watch_heartbeat(tenant, now);
        }
        break;
    case WATCHDOG_CONFIG:
        watchdogs[tenant->index].config = value & WATCHDOG_CONFIG_BITS;
        break;
    case WATCHDOG_MODE:
        set_mode(tenant, value, now);
        break;
    default:
        break;
    }
}

static bool is_watchdog(const struct tenant *tenant, uint64_t address)
{
    return tenant->description->watchdog_base != 0 &&
           address - tenant->description->watchdog_base < WATCHDOG_SIZE;
}

static enum mmio_result access(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                               uint64_t *value)
{
    struct tenant *tenant = vhart->tenant;
    uint64_t offset = address - tenant->description->watchdog_base;

    if (!is_watchdog(tenant, address) || size != 4 || offset % 4 != 0) {
        return MMIO_FAULT;
    }
    if (store) {
        watchdog_write(tenant, offset, (uint32_t)*value, hart_now(hart_self()));
    } else {
        *value = watchdog_read(tenant, offset);
    }
    return MMIO_DONE;
}

/* What is there is another life's. One that only suspended keeps what its driver has set. */
static void begin(struct tenant *tenant)
{
    watchdogs[tenant->index] = (struct watchdog){0};
}

static void begin_restored(struct vhart *vhart, const struct dormant_state *state)
{
    (void)state;
    begin(vhart->tenant);
}

MMIO_WINDOW(is_watchdog, access);
HOOK(tenant_begins, begin);
HOOK(vhart_is_restored, begin_restored);

/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/bus_protection/bus_protection.h"

#include "core/feature.h"
#include "core/hooks.h"
#include "core/monitor_log.h"
#include "core/tenant.h"

/* Of each master. */
static struct master {
    const struct tenant *holder; /* whose memory it reaches; NULL: it reaches nothing */
    uint32_t used;               /* its first entries, which are open */
} masters[COTENANT_MAX_MASTERS];

/* There are any: beginnings and ends of tenants are in stretches whose length is held. */
static bool has_masters;

/* An entry keeps what an earlier boot stage has locked, or there is no such unit. */
__attribute__((cold)) static void say_what_failed(uint32_t number, const char *failed)
{
    monitor_log_begin();
    monitor_puts("bus master ");
    monitor_put_u64(number);
    monitor_puts(failed);
}

static void close_entries(uint32_t index, uint32_t count)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_master *description = &board->masters[index];
    bool closed = true;

    for (uint32_t i = 0; i < count; i++) {
        closed = mpfs_mpu_close(board->bus_base, description->number, i) && closed;
    }
    if (!closed) {
        say_what_failed(description->number,
                        " is not confined: an entry that is locked cannot be closed\n");
    }
    masters[index] = (struct master){NULL, 0};
}

static void open_memory(uint32_t index, const struct tenant *tenant)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_master *description = &board->masters[index];
    struct bus_blocks blocks = {tenant->description, 0, 0};
    uint32_t used = 0;
    bool held = true;

    close_entries(index, masters[index].used);
    for (struct bundle_range block = bus_next_block(&blocks);
         block.size != 0 && used < description->entries; block = bus_next_block(&blocks)) {
        held = mpfs_mpu_open(board->bus_base, description->number, used, block) && held;
        used++;
    }
    masters[index] = (struct master){tenant, used};
    if (!held) {
        say_what_failed(description->number,
                        " is not confined: its entries do not hold what they are set to\n");
    }
}

static bool has(const struct tenant *tenant, uint32_t index)
{
    return tenant->index < COTENANT_MAX_TENANTS &&
           (bundle->board.masters[index].tenants >> tenant->index & 1) != 0;
}

/* At boot: nothing is left of what the stages before have opened. */
__attribute__((cold)) static void close_all(void)
{
    const struct bundle_board *board = &bundle->board;

    has_masters = board->master_count != 0;
    for (uint32_t i = 0; i < board->master_count; i++) {
        const struct bundle_master *description = &board->masters[i];

        close_entries(i, description->entries);
        for (uint32_t entry = 0; description->tenants == 0 && entry < description->entries;
             entry++) {
            mpfs_mpu_lock(board->bus_base, description->number, entry);
        }
    }
}

HOOK(machine_begins, close_all);

static __attribute__((noinline)) void open_for(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < bundle->board.master_count; i++) {
        if (has(tenant, i)) {
            open_memory(i, tenant);
        }
    }
}

static void begins(struct tenant *tenant)
{
    if (has_masters) {
        open_for(tenant);
    }
}

HOOK(tenant_begins, begins);

/*
 * It is loaded again, or emptied, without its devices; one that suspends keeps them until another
 * one takes over, because there may be none that does.
 */
static __attribute__((noinline)) void close_held_by(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < bundle->board.master_count; i++) {
        if (masters[i].holder == tenant && tenant->state != TENANT_RUNNING) {
            close_entries(i, masters[i].used);
        }
    }
}

static void leaves(struct tenant *tenant)
{
    if (has_masters) {
        close_held_by(tenant);
    }
}

HOOK(tenant_leaves, leaves);

/* One that has been dormant goes on; another one is loaded first. */
static __attribute__((noinline)) void hand_over(const struct tenant *tenant,
                                                const struct tenant *before)
{
    for (uint32_t i = 0; i < bundle->board.master_count; i++) {
        if (masters[i].holder == before) {
            close_entries(i, masters[i].used);
        }
        if (has(tenant, i) && tenant->state == TENANT_RUNNING) {
            open_memory(i, tenant);
        }
    }
}

static void takes_over(struct tenant *tenant, const struct tenant *before)
{
    if (has_masters) {
        hand_over(tenant, before);
    }
}

HOOK(tenant_takes_over, takes_over);
FEATURE(bus_protection);

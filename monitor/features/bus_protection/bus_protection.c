/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/bus_protection/bus_protection.h"

#include "core/feature.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "irq/source_set.h"

/* Of each master. */
static struct master {
    const struct tenant *holder; /* whose memory it reaches; NULL: it reaches nothing */
    struct bus_blocks blocks;    /* of that memory: those that it does not reach yet */
    uint32_t used;               /* its first entries, which are open */
    bool is_open;                /* it reaches all of the memory */
} masters[COTENANT_MAX_MASTERS];

/* There are any: beginnings and ends of tenants are in stretches whose length is held. */
static bool has_masters;

static bool has(const struct tenant *tenant, uint32_t index)
{
    return tenant->index < COTENANT_MAX_TENANTS &&
           (bundle->board.masters[index].tenants >> tenant->index & 1) != 0;
}

/*
 * At boot nothing is left of what the stages before have opened. What nobody has is locked, and
 * what a tenant has is tried, with a piece of that tenant's memory.
 */
__attribute__((cold)) static bool close_entries(const struct bundle_master *master)
{
    uint64_t base = bundle->board.bus_base;
    bool all = true;

    for (uint32_t entry = 0; entry < master->entries; entry++) {
        if (master->tenants == 0) {
            all = mpfs_mpu_lock(base, master->number, entry) && all;
        } else {
            const struct bundle_tenant *owner = &bundle->tenants[lowest_bit(master->tenants)];
            struct bus_blocks blocks = {owner, 0, 0};

            all = mpfs_mpu_obeys(base, master->number, entry, bus_next_block(&blocks)) && all;
        }
    }
    return all;
}

/* An entry keeps what an earlier boot stage has locked, or there is no such unit. */
__attribute__((cold)) static void close_all(void)
{
    has_masters = bundle->board.master_count != 0;
    for (uint32_t i = 0; i < bundle->board.master_count; i++) {
        const struct bundle_master *master = &bundle->board.masters[i];

        if (!close_entries(master)) {
            monitor_log_begin();
            monitor_puts("bus master ");
            monitor_put_u64(master->number);
            monitor_puts(" is not confined: its entries do not hold what they are set to\n");
        }
        masters[i] = (struct master){0};
    }
}

HOOK(machine_begins, close_all);

/* Opens an entry for the next block of the memory, if there is one. */
static void open_next(uint32_t index, const struct tenant *tenant)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_master *description = &board->masters[index];
    struct master *master = &masters[index];
    struct bundle_range block;

    if (master->holder == NULL) {
        master->holder = tenant;
        master->blocks.tenant = tenant->description;
    }
    block = bus_next_block(&master->blocks);
    if (block.size == 0 || master->used == description->entries) {
        master->is_open = true;
        return;
    }
    mpfs_mpu_open(board->bus_base, description->number, master->used, block);
    master->used++;
}

static bool __attribute__((noinline)) open_all(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < bundle->board.master_count; i++) {
        while (has(tenant, i) && !masters[i].is_open) {
            open_next(i, tenant);
            if (step_is_over()) {
                return false;
            }
        }
    }
    return true;
}

static bool __attribute__((noinline)) close_all_of(const struct tenant *tenant)
{
    const struct bundle_board *board = &bundle->board;

    for (uint32_t i = 0; i < board->master_count; i++) {
        struct master *master = &masters[i];

        while (master->holder == tenant && master->used != 0) {
            master->used--;
            mpfs_mpu_close(board->bus_base, board->masters[i].number, master->used);
            if (step_is_over()) {
                return false;
            }
        }
        if (master->holder == tenant) {
            *master = (struct master){0};
        }
    }
    return true;
}

bool tenant_open_memory(const struct tenant *tenant, bool open)
{
    return !has_masters || (open ? open_all(tenant) : close_all_of(tenant));
}

FEATURE(bus_protection);

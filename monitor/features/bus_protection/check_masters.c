/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries are made of the tenants' memory, which is checked already: what is left is whose. */
#include "core/bundle_check.h"
#include "features/bus_protection/bus_protection.h"

static uint32_t count_blocks(const struct bundle_tenant *tenant)
{
    struct bus_blocks blocks = {tenant, 0, 0};
    uint32_t count = 0;

    /* Each range is at most two rows of powers of two, so there are few. */
    while (bus_next_block(&blocks).size != 0) {
        count++;
    }
    return count;
}

/* The first tenant from `from` on that has the master's devices, or how many there can be. */
static uint32_t next_owner(const struct bundle_master *master, uint32_t from)
{
    while (from < COTENANT_MAX_TENANTS && (master->tenants >> from & 1) == 0) {
        from++;
    }
    return from;
}

static bool is_listed_before(const struct bundle_board *board, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (board->masters[i].number == board->masters[index].number) {
            return true;
        }
    }
    return false;
}

static struct check_result check_master(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_master *master = &bundle->board.masters[index];
    uint32_t first = next_owner(master, 0);

    REQUIRE(master->number < MPFS_MPU_MASTERS && !is_listed_before(&bundle->board, index),
            "board.masters.number: unknown, or used twice", index);
    REQUIRE(master->entries >= 1 && master->entries <= MPFS_MPU_ENTRIES,
            "board.masters.entries: out of range", index);
    REQUIRE((uint64_t)master->tenants >> bundle->tenant_count == 0,
            "board.masters.tenants: no such tenant", index);
    for (uint32_t i = first; i < bundle->tenant_count; i = next_owner(master, i + 1)) {
        REQUIRE(i == first || check_share_a_group(&bundle->tenants[first], &bundle->tenants[i]),
                "board.masters.tenants: several that may run at the same time", index);
        REQUIRE(count_blocks(&bundle->tenants[i]) <= master->entries,
                "board.masters.entries: too few for the memory of a tenant", index);
    }
    return check_good();
}

static struct check_result check_masters(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;

    (void)monitor_size;
    REQUIRE(board->bus_kind == COTENANT_BUS_NONE ||
                board->ram_base + board->ram_size <= 1ul << MPFS_MPU_ADDRESS_BITS,
            "board.bus_kind: it does not know all addresses of the RAM", -1);
    REQUIRE(board->master_count == (board->bus_kind == COTENANT_BUS_NONE ? 0 : MPFS_MPU_MASTERS),
            "board.master_count: not all that the unit has", -1);
    for (uint32_t i = 0; i < board->master_count; i++) {
        struct check_result result = check_master(bundle, i);

        if (result.problem != NULL) {
            return result;
        }
    }
    return check_good();
}

BUNDLE_CHECK(CHECK_CONNECTIONS, check_masters);

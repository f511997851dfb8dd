/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/clint/clint.h"

#include "arch/interrupts.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/tenant.h"
#include "features/plic/mmio.h"

/* As many harts as have a place. */
#define MSIP_SIZE (4 * 4095)
#define MTIMECMP_SIZE (8 * 4095)
#define MTIME_SIZE 8

FEATURE(clint);

struct clint_vhart clint_vharts[COTENANT_MAX_VHARTS];

static void tell(struct vhart *vhart, uint32_t registers)
{
    FOR_EACH_IN_TABLE(clint_listeners, listener)
    {
        (*listener)(vhart, registers);
    }
}

static void written(struct vhart *by, struct vhart *vhart, uint32_t registers)
{
    if (by == vhart) {
        tell(vhart, registers);
        return;
    }
    __atomic_fetch_or(&clint_of(vhart)->written, registers, __ATOMIC_RELEASE);
    messages_post(vhart, REQUEST_ROUTING);
}

/*
 * Another hart of the tenant may have written something. The vhart may wait for the time that was
 * before, also while it is loaded still, and a WFI may end for no reason.
 */
static void look(struct vhart *vhart)
{
    struct clint_vhart *clint = clint_of(vhart);

    if (__atomic_load_n(&clint->written, __ATOMIC_RELAXED) != 0 && vhart->state == VHART_STARTED) {
        tell(vhart, __atomic_exchange_n(&clint->written, 0, __ATOMIC_ACQUIRE));
        vhart_end_wait(vhart);
    }
}

HOOK(vhart_is_routed, look);

/* NULL: the tenant has no hart of that number. */
static struct vhart *vhart_at(const struct vhart *vhart, uint64_t number)
{
    const struct tenant *tenant = vhart->tenant;

    return number < tenant_vhart_count(tenant) ? &tenant->vharts[number] : NULL;
}

static void access_msip(struct vhart *vhart, struct vhart *of, bool store, uint64_t *value)
{
    uint32_t *msip = &clint_of(of)->msip;

    if (!store) {
        *value = __atomic_load_n(msip, __ATOMIC_RELAXED);
        return;
    }
    __atomic_store_n(msip, *value & 1, __ATOMIC_RELAXED);
    written(vhart, of, CLINT_MSIP);
}

/* Whole, or one of its halves. */
static void access_mtimecmp(struct vhart *vhart, struct vhart *of, uint64_t offset, uint32_t size,
                            bool store, uint64_t *value)
{
    uint64_t *mtimecmp = clint_of(of)->mtimecmp;

    if (!store) {
        *value = __atomic_load_n(mtimecmp, __ATOMIC_RELAXED) >> 8 * offset;
        return;
    }
    if (size == sizeof(*mtimecmp)) {
        __atomic_store_n(mtimecmp, *value, __ATOMIC_RELAXED);
    } else {
        __atomic_store_n((uint32_t *)mtimecmp + offset / size, (uint32_t)*value, __ATOMIC_RELAXED);
    }
    written(vhart, of, CLINT_MTIMECMP);
}

static enum mmio_result access_clint(struct vhart *vhart, uint64_t address, uint32_t size,
                                     bool store, uint64_t *value)
{
    const struct bundle_board *board = &bundle->board;
    uint64_t offset = address - board->mtimecmp_base;
    struct vhart *of;

    if ((size != 4 && size != 8) || address % size != 0) {
        return MMIO_FAULT;
    }
    if (offset < MTIMECMP_SIZE) {
        of = vhart_at(vhart, offset / 8);
        if (of != NULL) {
            access_mtimecmp(vhart, of, offset % 8, size, store, value);
        }
    } else if (address - board->mtime_address < MTIME_SIZE) {
        of = vhart;
        *value = hart_now(vhart->world.hart) >> 8 * (address - board->mtime_address);
    } else {
        offset = address - board->msip_base;
        if (board->msip_base == 0 || offset >= MSIP_SIZE || size != 4) {
            return MMIO_FAULT;
        }
        of = vhart_at(vhart, offset / 4);
        if (of != NULL) {
            access_msip(vhart, of, store, value);
        }
    }
    if (of == NULL) {
        *value = 0;
    }
    return MMIO_DONE;
}

static bool is_clint(const struct tenant *tenant, uint64_t address)
{
    const struct bundle_board *board = &bundle->board;

    return (tenant->description->flags & COTENANT_TENANT_MACHINE) != 0 &&
           (address - board->mtimecmp_base < MTIMECMP_SIZE ||
            address - board->mtime_address < MTIME_SIZE ||
            (board->msip_base != 0 && address - board->msip_base < MSIP_SIZE));
}

MMIO_WINDOW(is_clint, access_clint);

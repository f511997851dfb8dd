/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that a tenant in machine mode finds where the board has them: those of a CLINT
 * (RISC-V ACLINT specification 1.0, chapters 2 and 3), and the SiFive test finisher, by which it
 * ends or resets itself.
 */
#include "arch/interrupts.h"
#include "arch/timer.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "features/machine/machine.h"
#include "features/plic/mmio.h"

/* As many harts as have a place. */
#define MSIP_SIZE (4 * 4095)
#define MTIMECMP_SIZE (8 * 4095)
#define MTIME_SIZE 8

#define FINISHER_SIZE 0x1000
#define FINISHER_FAIL 0x3333
#define FINISHER_PASS 0x5555
#define FINISHER_RESET 0x7777

/*
 * The register is in memory, where any hart of the tenant writes it. The hart that it interrupts
 * does what it says then: at once, or when it gets the message, which says no more than that it has
 * been written.
 */
static uint64_t access_msip(struct vhart *vhart, struct vhart *of, bool store, uint64_t value)
{
    uint32_t *msip = &machine_of(of)->msip;

    if (!store) {
        return __atomic_load_n(msip, __ATOMIC_RELAXED);
    }
    __atomic_store_n(msip, value & 1, __ATOMIC_RELAXED);
    if (of != vhart) {
        messages_post(of, REQUEST_ROUTING);
    } else {
        machine_look_at_msip(vhart);
    }
    return value;
}

/* With S-mode below: the monitor computes what is pending, at the end of each trap. */
static void interrupt_inner(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    /* When it goes on, the hart's timer interrupts it at once. */
    machine_parked[vhart_index(vhart)].deadline = 0;
    if (vhart->schedulable.state == SCHEDULABLE_WAITING) {
        schedule_wake(&hart->scheduler, &vhart->schedulable, hart_now(hart));
        hart->reschedule = true;
    }
}

void machine_look_at_msip(struct vhart *vhart)
{
    bool raised = __atomic_load_n(&machine_of(vhart)->msip, __ATOMIC_RELAXED) != 0;

    if (tenant_has_s_mode(vhart->tenant)) {
        if (raised) {
            interrupt_inner(vhart);
        }
    } else if (raised) {
        vhart_interrupt(vhart, INTERRUPT_SSI);
    } else {
        vhart_clear_interrupt(vhart, INTERRUPT_SSI);
    }
}

/* Another hart of the tenant may have written the vhart's msip. */
static void look_at_msip(struct vhart *vhart)
{
    if (tenant_has_machine_mode(vhart->tenant) && vhart->state == VHART_STARTED) {
        machine_look_at_msip(vhart);
    }
}

HOOK(vhart_is_routed, look_at_msip);

/* The new value of 8 bytes of which `size` at `offset` are stored. */
static uint64_t merge(uint64_t before, uint64_t offset, uint32_t size, uint64_t value)
{
    uint64_t mask = size == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX << 8 * offset;

    return (before & ~mask) | (value << 8 * offset & mask);
}

static enum mmio_result access_clint(struct vhart *vhart, uint64_t address, uint32_t size,
                                     bool store, uint64_t *value)
{
    const struct bundle_board *board = &bundle->board;
    uint64_t *mtimecmp = &machine_parked[vhart_index(vhart)].mtimecmp;
    uint64_t offset = address - board->mtimecmp_base;

    if ((size != 4 && size != 8) || address % size != 0) {
        return MMIO_FAULT;
    }
    if (offset < MTIMECMP_SIZE) {
        bool own = offset / 8 == vhart->world.vhart_id;

        if (store && own) {
            *mtimecmp = merge(*mtimecmp, offset % 8, size, *value);
            if (!tenant_has_s_mode(vhart->tenant)) {
                timer_set(vhart, *mtimecmp);
            }
        }
        *value = own ? *mtimecmp >> 8 * (offset % 8) : 0;
        return MMIO_DONE;
    }
    offset = address - board->mtime_address;
    if (offset < MTIME_SIZE) {
        *value = hart_now(vhart->world.hart) >> 8 * offset; /* it is all tenants': not to be set */
        return MMIO_DONE;
    }
    offset = address - board->msip_base;
    if (board->msip_base == 0 || offset >= MSIP_SIZE || size != 4) {
        return MMIO_FAULT;
    }
    *value = offset / 4 < tenant_vhart_count(vhart->tenant)
                 ? access_msip(vhart, &vhart->tenant->vharts[offset / 4], store, *value)
                 : 0;
    return MMIO_DONE;
}

static bool is_clint(const struct tenant *tenant, uint64_t address)
{
    const struct bundle_board *board = &bundle->board;

    return tenant_has_machine_mode(tenant) &&
           (address - board->mtimecmp_base < MTIMECMP_SIZE ||
            address - board->mtime_address < MTIME_SIZE ||
            (board->msip_base != 0 && address - board->msip_base < MSIP_SIZE));
}

MMIO_WINDOW(is_clint, access_clint);

static bool is_finisher(const struct tenant *tenant, uint64_t address)
{
    const struct bundle_board *board = &bundle->board;

    return tenant_has_machine_mode(tenant) && board->reset_kind == COTENANT_RESET_SIFIVE_TEST &&
           address - board->reset_base < FINISHER_SIZE;
}

static enum mmio_result access_finisher(struct vhart *vhart, uint64_t address, uint32_t size,
                                        bool store, uint64_t *value)
{
    uint64_t what;

    if (!is_finisher(vhart->tenant, address)) {
        return MMIO_FAULT;
    }
    if (!store || address != bundle->board.reset_base || size < 2 || size > 4) {
        *value = 0;
        return MMIO_DONE;
    }
    what = *value & UINT16_MAX;
    if (what == FINISHER_PASS) {
        tenant_shut_down(vhart->tenant, "shutdown");
    } else if (what == FINISHER_FAIL) {
        tenant_fail(vhart);
    } else if (what == FINISHER_RESET) {
        tenant_reboot(vhart->tenant);
    }
    return MMIO_DONE;
}

MMIO_WINDOW(is_finisher, access_finisher);

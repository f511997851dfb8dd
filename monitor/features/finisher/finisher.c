/* SPDX-License-Identifier: BSD-2-Clause */
/* The SiFive test finisher that a tenant in machine mode has: by it it ends or resets itself. */
#include "core/feature.h"
#include "core/lifecycle.h"
#include "core/tenant.h"
#include "features/plic/mmio.h"

#define FINISHER_SIZE 0x1000
#define FINISHER_FAIL 0x3333
#define FINISHER_PASS 0x5555
#define FINISHER_RESET 0x7777

FEATURE(finisher);

static bool is_finisher(const struct tenant *tenant, uint64_t address)
{
    const struct bundle_board *board = &bundle->board;

    return (tenant->description->flags & COTENANT_TENANT_MACHINE) != 0 &&
           board->reset_kind == COTENANT_RESET_SIFIVE_TEST &&
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

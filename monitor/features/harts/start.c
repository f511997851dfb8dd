/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock.h"
#include "core/messages.h"
#include "core/tenant.h"

bool hart_has_vharts(const struct hart *hart)
{
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        if (vharts[i].world.hart == hart) {
            return true;
        }
    }
    return false;
}

int32_t harts_start(const struct hart *boot_hart, void (*rest)(const struct hart *),
                    uint64_t patience)
{
    for (uint32_t i = 0; i < bundle->board.hart_count; i++) {
        struct hart *hart = &harts[i];
        uint64_t start = hart_now(boot_hart);

        if (hart == boot_hart) {
            continue;
        }
        *hart->msip = 1;
        while (!__atomic_load_n(&hart->ready, __ATOMIC_ACQUIRE) && hart_has_vharts(hart)) {
            if (hart_now(boot_hart) - start > patience) {
                return (int32_t)i;
            }
            rest(boot_hart);
        }
    }
    return -1;
}

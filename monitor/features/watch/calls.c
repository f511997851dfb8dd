/* SPDX-License-Identifier: BSD-2-Clause */
/* Cotenant's own calls, in SBI's firmware-specific extension space: docs/abi/sbi.md. */
#include "core/hart.h"
#include "features/watch/watch.h"
#include "sbi/sbi.h"

static struct sbi_result sbi_cotenant(struct vhart *vhart, uint64_t function,
                                      const uint64_t *arguments)
{
    if (function != COTENANT_SBI_HEARTBEAT) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    switch (arguments[0]) {
    case COTENANT_SBI_HEARTBEAT_ALIVE:
        watch_heartbeat(vhart->tenant, hart_now(vhart->world.hart));
        return sbi_value(0);
    case COTENANT_SBI_HEARTBEAT_PAUSE:
        watch_pause(vhart->tenant);
        return sbi_value(0);
    default:
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
}

SBI_EXTENSION(COTENANT_SBI_EXT, sbi_cotenant, SBI_SHARED);

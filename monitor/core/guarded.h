/* SPDX-License-Identifier: BSD-2-Clause */
/* Which devices of a bundle are guarded. */
#ifndef COTENANT_CORE_GUARDED_H
#define COTENANT_CORE_GUARDED_H

#include <stdbool.h>

#include "abi/bundle.h"

/* `reset`: one of the tenant's. */
static inline bool is_guarded(const struct bundle_tenant *tenant, const struct bundle_reset *reset)
{
    return reset->kind == COTENANT_DEVICE_RESET_VIRTIO_MMIO &&
           (tenant->flags & COTENANT_TENANT_TRUSTED) == 0;
}

#endif

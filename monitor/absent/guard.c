/* SPDX-License-Identifier: BSD-2-Clause */
/* No tenant has a guarded device. */
#include "features/guard/guard.h"

struct guard guards[COTENANT_MAX_GUARDED];
uint32_t guard_count;

void guard_init(void)
{
}

bool guard_give_back(uint64_t base)
{
    (void)base;
    return false;
}

enum mmio_result guard_access(struct guard *guard, struct vhart *vhart, uint32_t offset,
                              uint32_t size, bool store, uint64_t *value)
{
    (void)guard;
    (void)vhart;
    (void)offset;
    (void)size;
    (void)store;
    (void)value;
    return MMIO_FAULT;
}

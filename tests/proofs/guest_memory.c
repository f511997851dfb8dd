/* SPDX-License-Identifier: BSD-2-Clause */
/* Any page tables, changing at every read, under any satp: only the tenant's RAM is read. */
#include "arch/guest_memory.h"
#include "tenant_ram.h"

static struct bundle_tenant description;
static struct tenant tenant = {.description = &description};

static void look_up(uint64_t satp)
{
    struct guest_leaf leaf;
    uint64_t physical;
    uint32_t instruction;

    switch (any_up_to(4)) {
    case 0:
        guest_walk(&tenant, satp, any64(), &leaf);
        break;
    case 1:
        guest_translate(&tenant, satp, any64(), &physical);
        break;
    case 2:
        guest_translate_checked(&tenant, satp, any64(), any_bool(), any64(), &physical);
        break;
    default:
        guest_fetch(&tenant, satp, any64());
        break;
    }
}

int main(void)
{
    /* The mode alone is looked at on its own: what follows depends on it. */
    uint64_t mode = (uint64_t)Frama_C_interval_split(0, 15);
    uint64_t satp = (mode << SATP_MODE_SHIFT) + (any64() & ((1ul << SATP_MODE_SHIFT) - 1));

    look_up(satp);
    return 0;
}

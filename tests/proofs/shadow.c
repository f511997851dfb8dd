/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of calls for a queue of a guarded device, whose rings the driver writes at any
 * moment: each access is in the tenant's RAM, or in the shadow.
 */
#include "features/guard/shadow.h"

#include "one_hart.h"
#include "tenant_ram.h"

#define REGISTERS 0x10001000ul
/* Above 0, as shadow_copy() wants it. A call with more steps does what several calls do. */
#define STEPS 1

static struct bundle_tenant description;
static struct tenant tenant;
static struct shadow_queue queue;

uint32_t mmio_read32(uint64_t address)
{
    //@ assert address == REGISTERS;
    (void)address;
    return any32();
}

/* A size that is good, none, or one that is too large. */
static uint32_t any_size(uint32_t size)
{
    if (any_bool()) {
        return size;
    }
    return any_bool() ? 0 : SHADOW_SIZE + 1 + any_up_to(UINT32_MAX - SHADOW_SIZE - 1);
}

static void call(uint32_t size)
{
    unsigned steps = STEPS;

    if (!queue.ready) {
        queue.asked.size = any_size(size);
        queue.asked.descriptors = any64();
        queue.asked.available = any64();
        queue.asked.used = any64();
        shadow_start(&queue, &tenant);
        return;
    }
    switch (any_up_to(3)) {
    case 0:
        shadow_copy(&queue, &tenant, &steps, REGISTERS);
        break;
    case 1:
        shadow_publish(&queue);
        break;
    case 2:
        shadow_listen(&queue);
        break;
    default:
        queue.ready = false;
        break;
    }
}

int main(void)
{
    uint32_t size = 1u << Frama_C_interval_split(0, 7);

    tenant.description = &description;
    //@ dynamic_split queue.ready;
    //@ dynamic_split queue.open;
    //@ split size;
    while (any_bool()) {
        pass_moment();
        MAKE_ANY(description.memory);
        call(size);
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Any accesses to the CLINT and to the test finisher of a tenant in machine mode. */
#include "one_hart.h"

#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"

#include "features/clint/clint.c"
#include "features/finisher/finisher.c"

#define VHARTS 3

static struct bundle system;
static struct vhart own[VHARTS];
static uint64_t mtimecmps[VHARTS];

static void listen(struct vhart *vhart, uint32_t registers)
{
    //@ assert \valid(vhart);
    (void)registers;
    (void)*clint_of(vhart)->mtimecmp;
}

static clint_listener *const listener = listen;

HAS_ENTRIES(clint_listeners, &listener);

void messages_send(struct vhart *vhart, uint32_t requests)
{
    //@ assert \valid(vhart);
    vhart->requests |= requests;
}

static void is_tenant(struct tenant *tenant)
{
    //@ assert \valid(tenant);
    tenant->state = (enum tenant_state)any_up_to(TENANT_LOADING);
}

void tenant_shut_down(struct tenant *tenant, const char *how)
{
    (void)how;
    is_tenant(tenant);
}

void tenant_reboot(struct tenant *tenant)
{
    is_tenant(tenant);
}

void tenant_fail(struct vhart *vhart)
{
    is_tenant(vhart->tenant);
}

static void set_up(void)
{
    MAKE_ANY(system);
    bundle = &system;
    tenants[0].description = &system.tenants[0];
    tenants[0].vharts = own;
    tenants[0].vhart_count = (uint32_t)Frama_C_interval_split(1, VHARTS);
    for (uint32_t i = 0; i < VHARTS; i++) {
        own[i].tenant = &tenants[0];
        own[i].index = i;
        own[i].world.hart = &harts[0];
        clint_vharts[i].mtimecmp = &mtimecmps[i];
    }
}

static void call(void)
{
    struct vhart *vhart = &own[any_up_to(tenants[0].vhart_count - 1)];
    uint32_t size = 1u << Frama_C_interval_split(0, 3);
    uint64_t address = any64();
    uint64_t value = any64();

    switch (any_up_to(2)) {
    case 0:
        if (is_clint(&tenants[0], address)) {
            access_clint(vhart, address, size, any_bool(), &value);
        }
        break;
    case 1:
        access_finisher(vhart, address, size, any_bool(), &value);
        break;
    default:
        vhart->state = (enum vhart_state)any_up_to(VHART_RESUME_PENDING);
        look(vhart);
        break;
    }
}

int main(void)
{
    set_up();
    while (any_bool()) {
        pass_moment();
        call();
    }
    return 0;
}

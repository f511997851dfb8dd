/* SPDX-License-Identifier: BSD-2-Clause */
/* Any SBI call of a tenant that reaches what every kernel needs, with any registers. */
#include "sbi/sbi.h"

#include "core/attended.h"
#include "core/foreground.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "core/work.h"
#include "features/susp/suspend.h"
#include "tenant_ram.h"

#include "features/fwft/fwft.c"
#include "features/harts/hsm.c"
#include "features/susp/calls.c"
#include "sbi/base.c"
#include "sbi/dbcn.c"
#include "sbi/ipi.c"
#include "sbi/rfence.c"
#include "sbi/srst.c"
#include "sbi/time.c"

HAS_ENTRIES(sbi_extensions, &sbi_fwft_extension, &sbi_hsm_extension, &sbi_susp_extension,
            &sbi_base_extension, &sbi_dbcn_extension, &sbi_ipi_extension, &sbi_rfence_extension,
            &sbi_srst_extension, &sbi_time_extension);
HAS_NO_ENTRIES(firmware_event);
HAS_NO_ENTRIES(firmware_requests);

#define VHARTS 4

static struct bundle_tenant description;
static struct vhart own[VHARTS];
static struct bundle system;
struct suspend suspends[COTENANT_MAX_VHARTS];
static uint64_t mtime;
static uint64_t mtimecmp;
struct hart harts[COTENANT_MAX_HARTS];
struct hart *const proof_hart = &harts[0];

/* What carries out what the checks have let through: with a vhart that there is. */
static void uses(const struct vhart *vhart)
{
    //@ assert \valid_read(vhart);
    (void)vhart->state;
}

void vhart_prepare_start(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    uses(vhart);
    (void)argument;
    //@ assert RAM_FIRST <= address <= RAM_END - 2;
}

void vhart_start_here(struct vhart *vhart)
{
    uses(vhart);
}

void vhart_stop(struct vhart *vhart)
{
    uses(vhart);
}

void vhart_suspend(struct vhart *vhart, bool of_system)
{
    (void)of_system;
    uses(vhart);
}

void vhart_setup_resume(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    uses(vhart);
    (void)argument;
    //@ assert RAM_FIRST <= address <= RAM_END - 2;
}

void vhart_interrupt(struct vhart *vhart, uint64_t bits)
{
    (void)bits;
    uses(vhart);
}

void messages_send(struct vhart *vhart, uint32_t requests)
{
    (void)requests;
    uses(vhart);
}

void remote_fence(const struct vhart *caller, uint64_t targets, bool instructions)
{
    (void)targets;
    (void)instructions;
    uses(caller);
}

void tenant_reboot(struct tenant *tenant)
{
    (void)tenant;
}

void tenant_fail(struct vhart *vhart)
{
    uses(vhart);
}

void tenant_shut_down(struct tenant *tenant, const char *reason)
{
    (void)tenant;
    (void)reason;
}

void work_post(void)
{
}

bool wanted_by_mail(const struct hart *hart)
{
    (void)hart;
    return any_bool();
}

bool shared_lock_take(struct hart *hart, bool give_up)
{
    (void)hart;
    return !give_up || any_bool();
}

void shared_lock_pass_on(struct hart *hart)
{
    (void)hart;
}

void attended_leave(struct hart *hart)
{
    (void)hart;
}

int main(void)
{
    struct tenant *tenant = &tenants[0];
    struct vhart *vhart = &own[0];
    uint64_t first;

    system.board.timebase_hz = 32768 + any_up_to(UINT32_MAX - 32768); /* checked at boot */
    bundle = &system;
    description.flags = any32();
    MAKE_ANY(suspends);
    harts[0].mtime = &mtime;
    harts[0].mtimecmp = &mtimecmp;
    harts[0].features = any64();
    tenant->description = &description;
    tenant->vharts = own;
    tenant->vhart_count = 1 + any_up_to(VHARTS - 1);
    tenant->state = (enum tenant_state)any_up_to(TENANT_LOADING);
    vuart_init(&tenant->uart);
    tenant->uart.transmit.head = any32();
    tenant->uart.receive.head = any32();
    for (uint32_t i = 0; i < VHARTS; i++) {
        own[i].tenant = tenant;
        own[i].calls = sbi_slots;
        own[i].index = i;
        own[i].state = (enum vhart_state)any_up_to(VHART_RESUME_PENDING);
        own[i].world.hart = &harts[0];
        own[i].world.vhart_id = i;
    }
    sbi_init();
    MAKE_ANY(vhart->world.registers);
    /* A length of the debug console, up to the most that is moved one by one. */
    first = any64();
    vhart->world.registers[REGISTER_A0] =
        first >= 8 ? first : (uint64_t)Frama_C_interval_split(0, 7);
    vhart->attended = any32();
    sbi_dispatch(vhart);
    return 0;
}

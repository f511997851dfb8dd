/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any exception that one of two tenants is shown, any instruction that it may not execute, and any
 * part of what the log is told of that: from any state that the ones before may have left.
 */
#include "any_lock.h"
#include "log_parts.h"
#include "one_hart.h"

#include "core/hooks.h"

/* Each part by itself: those that follow it are told from the state that it leaves. */
#define step_is_over() true

#include "features/symptoms/symptoms.c"

#define TENANTS 2
#define VHARTS 2

static struct bundle system;
struct vhart vharts[COTENANT_MAX_VHARTS];

void work_post(void)
{
}

void monitor_put_hex(uint64_t value)
{
    (void)value;
}

static void change_by_others(void)
{
    MAKE_ANY(symptoms);
    waiting = any_up_to((1u << TENANTS) - 1);
}

static void set_up(void)
{
    MAKE_ANY(system);
    bundle = &system;
    tenant_count = TENANTS;
    for (uint32_t i = 0; i < TENANTS; i++) {
        tenants[i].description = &system.tenants[i];
        tenants[i].index = i;
        tenants[i].vharts = &vharts[VHARTS * i];
        tenants[i].vhart_count = VHARTS;
    }
    pass_moment();
    harts[0].features = 0; /* it is not alone */
    for (uint32_t i = 0; i < TENANTS * VHARTS; i++) {
        vharts[i].index = i;
        vharts[i].tenant = &tenants[i / VHARTS];
        MAKE_ANY(vharts[i].world.registers);
        vharts[i].world.hart = &harts[any_up_to(1)];
        vharts[i].world.scause = any64();
        vharts[i].world.sepc = any64();
        vharts[i].world.stvec = any64();
        vharts[i].state = (enum vhart_state)any_up_to(VHART_RESUME_PENDING);
    }
    harts[0].loaded = &vharts[any_up_to(TENANTS * VHARTS - 1)];
    MAKE_ANY(repeated_faults);
    MAKE_ANY(line.numbers);
    change_by_others();
}

static void call(struct vhart *vhart)
{
    bool flag = any_bool();

    switch (any_up_to(4)) {
    case 0:
        symptoms_begin(vhart->tenant);
        break;
    case 1:
        symptoms_fault(vhart, any64());
        break;
    case 2:
        symptoms_illegal(vhart, any32(), any64());
        break;
    case 3:
        symptoms_only_faults(vhart->tenant, &flag);
        break;
    default:
        wait(&flag);
        break;
    }
    //@ assert !lock_is_held && waiting < (1u << TENANTS);
}

/* A part, of a line of which as much may have been told as it has, or of none. */
static void tell(void)
{
    uint32_t most;

    line.tenant = &tenants[any_up_to(TENANTS - 1)];
    line.symptom = SYMPTOM_FAULTS;
    line.words = of_faults;
    line.count = 2;
    switch (any_up_to(3)) {
    case 0:
        break;
    case 1:
        line.count = 3;
        break;
    case 2:
        line.symptom = SYMPTOM_MACHINE_MODE;
        line.words = of_machine_mode;
        break;
    default:
        line.tenant = NULL;
        break;
    }
    most = line.tenant == NULL ? 0 : MONITOR_LOG_PARTS_BEGUN + 2 * line.count;
    line.parts.told = (uint32_t)Frama_C_interval_split(0, most);
    (void)symptoms_step(any64());
    most = MONITOR_LOG_PARTS_BEGUN + 2 * line.count;
    //@ assert waiting < (1u << TENANTS);
    //@ assert line.words == of_faults ? line.count <= 3 : line.count == 2;
    //@ assert line.words == of_faults || line.words == of_machine_mode;
    //@ assert line.parts.told == 0 || (line.tenant != \null && line.parts.told <= most);
}

int main(void)
{
    set_up();
    if (any_bool()) {
        call(&vharts[Frama_C_interval_split(0, TENANTS * VHARTS - 1)]);
    } else {
        tell();
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/symptoms.h"

#include <stddef.h>

#include "arch/csr.h"
#include "arch/instruction.h"
#include "core/hart.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/work.h"
#include "irq/source_set.h"

#define SYMPTOM_FAULTS 0x1u
#define SYMPTOM_MACHINE_MODE 0x2u

/* The tenants that there is something to tell of, a bit each. */
static uint32_t waiting;

void symptoms_begin(struct tenant *tenant)
{
    tenant->symptoms.found = tenant->symptoms.untold;
}

static void find(struct tenant *tenant, uint8_t symptom)
{
    tenant->symptoms.found |= symptom;
    tenant->symptoms.untold |= symptom;
    waiting |= 1u << tenant->index;
    work_post();
}

static void find_faults(struct tenant *tenant, uint64_t cause, uint64_t pc, uint64_t times)
{
    if ((tenant->symptoms.found & SYMPTOM_FAULTS) == 0) {
        tenant->symptoms.cause = cause;
        tenant->symptoms.pc = pc;
        tenant->symptoms.times = times;
        find(tenant, SYMPTOM_FAULTS);
    }
}

/* A handler that goes on behind the instruction changes sepc, and any other trap does. */
void symptoms_fault(struct vhart *vhart, uint64_t cause)
{
    uint64_t pc = vhart->world.registers[REGISTER_PC];
    struct hart *hart = vhart->world.hart;

    if (CSR_READ(sepc) != pc || CSR_READ(scause) != cause) {
        vhart->repeated_faults = 0;
        return;
    }
    vhart->repeated_faults++;
    if (vhart->repeated_faults == SYMPTOMS_FAULTS) {
        shared_enter(hart);
        find_faults(vhart->tenant, cause, pc, SYMPTOMS_FAULTS);
        shared_leave(hart);
    }
}

void symptoms_illegal(struct vhart *vhart, uint32_t instruction, uint64_t pc)
{
    struct tenant *tenant = vhart->tenant;
    struct hart *hart = vhart->world.hart;

    /* A look without the lock first: a tenant that tries again and again keeps no other hart up. */
    if (!instruction_is_of_machine_mode(instruction) ||
        (__atomic_load_n(&tenant->symptoms.found, __ATOMIC_RELAXED) & SYMPTOM_MACHINE_MODE) != 0) {
        return;
    }
    shared_enter(hart);
    if ((tenant->symptoms.found & SYMPTOM_MACHINE_MODE) == 0) {
        tenant->symptoms.instruction = instruction;
        tenant->symptoms.instruction_pc = pc;
        find(tenant, SYMPTOM_MACHINE_MODE);
    }
    shared_leave(hart);
}

/*
 * Where the monitor sees none of it: exceptions come one after the other at the first instruction
 * of the handler. Of vharts of this hart alone: while they are loaded, their CSRs are the hart's.
 */
static void look(struct vhart *vhart)
{
    const struct hart *hart = vhart->world.hart;
    uint64_t pc = vhart->world.registers[REGISTER_PC];
    uint64_t cause;
    bool loaded;

    if (hart != hart_self() || vhart->state != VHART_STARTED) {
        return;
    }
    loaded = hart->loaded == vhart;
    cause = loaded ? CSR_READ(scause) : vhart->world.scause;
    if ((int64_t)cause >= 0 && pc == (loaded ? CSR_READ(sepc) : vhart->world.sepc) &&
        pc == ((loaded ? CSR_READ(stvec) : vhart->world.stvec) & ~3ul)) {
        find_faults(vhart->tenant, cause, pc, 0);
    }
}

bool symptoms_only_faults(struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        look(&tenant->vharts[i]);
    }
    return (tenant->symptoms.found & SYMPTOM_FAULTS) != 0;
}

static void tell_faults(const struct tenant *tenant)
{
    monitor_log_tenant(tenant, "only faults: cause=");
    monitor_put_hex(tenant->symptoms.cause);
    monitor_puts(" pc=");
    monitor_put_hex(tenant->symptoms.pc);
    if (tenant->symptoms.times != 0) {
        monitor_puts(" times=");
        monitor_put_u64(tenant->symptoms.times);
    }
    monitor_puts("\n");
}

static void tell_machine_mode(const struct tenant *tenant)
{
    monitor_log_tenant(tenant, "expects machine mode: instruction=");
    monitor_put_hex(tenant->symptoms.instruction);
    monitor_puts(" pc=");
    monitor_put_hex(tenant->symptoms.instruction_pc);
    monitor_puts("\n");
}

/* Out of line: a step that has nothing to tell saves no registers for it. */
static void __attribute__((noinline)) tell_next(void)
{
    struct tenant *tenant = &tenants[lowest_bit(waiting)];

    if ((tenant->symptoms.untold & SYMPTOM_MACHINE_MODE) != 0) {
        tenant->symptoms.untold &= (uint8_t)~SYMPTOM_MACHINE_MODE;
        tell_machine_mode(tenant);
    } else {
        tenant->symptoms.untold &= (uint8_t)~SYMPTOM_FAULTS;
        tell_faults(tenant);
    }
    if (tenant->symptoms.untold == 0) {
        waiting &= ~(1u << tenant->index);
    }
}

bool symptoms_tell(void)
{
    if (waiting == 0) {
        return false;
    }
    tell_next();
    return true;
}

bool symptoms_wait(void)
{
    return waiting != 0;
}

static unsigned symptoms_step(uint64_t now)
{
    (void)now;
    return symptoms_tell() ? WORK_DONE : WORK_NOTHING;
}

WORK(symptoms, NULL, symptoms_step);

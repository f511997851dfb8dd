/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/symptoms/symptoms.h"

#include <stddef.h>

#include "arch/csr.h"
#include "arch/instruction.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/monitor_log.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "core/work.h"
#include "irq/source_set.h"

#define SYMPTOM_FAULTS 0x1u
#define SYMPTOM_MACHINE_MODE 0x2u

static struct symptoms {
    uint8_t found;  /* in this life, SYMPTOM_* */
    uint8_t untold; /* those that the log does not have yet */
    uint32_t instruction;
    uint64_t instruction_pc;
    uint64_t cause;
    uint64_t pc;
    uint64_t times; /* 0: not counted */
} symptoms[COTENANT_MAX_TENANTS];
/* How often in a row a vhart has had the same fault. */
static uint32_t repeated_faults[COTENANT_MAX_VHARTS];

/* The tenants that there is something to tell of, a bit each. */
static uint32_t waiting;

void symptoms_begin(struct tenant *tenant)
{
    uint32_t *faults = &repeated_faults[vhart_index(tenant->vharts)];
    const uint32_t *end = faults + tenant->vhart_count;

    symptoms[tenant->index].found = symptoms[tenant->index].untold;
    while (faults < end) {
        *faults++ = 0;
    }
}

HOOK(tenant_begins, symptoms_begin);

static void find(const struct tenant *tenant, uint8_t symptom)
{
    symptoms[tenant->index].found |= symptom;
    symptoms[tenant->index].untold |= symptom;
    waiting |= 1u << tenant->index;
    work_post();
}

static void find_faults(struct tenant *tenant, uint64_t cause, uint64_t pc, uint64_t times)
{
    struct symptoms *own = &symptoms[tenant->index];

    if ((own->found & SYMPTOM_FAULTS) == 0) {
        own->cause = cause;
        own->pc = pc;
        own->times = times;
        find(tenant, SYMPTOM_FAULTS);
    }
}

/* A handler that goes on behind the instruction changes sepc, and any other trap does. */
void symptoms_fault(struct vhart *vhart, uint64_t cause)
{
    uint64_t pc = vhart->world.registers[REGISTER_PC];
    struct hart *hart = vhart->world.hart;
    uint32_t *repeated = &repeated_faults[vhart_index(vhart)];

    if (CSR_READ(sepc) != pc || CSR_READ(scause) != cause) {
        *repeated = 0;
        return;
    }
    (*repeated)++;
    if (*repeated == SYMPTOMS_FAULTS) {
        shared_enter(hart);
        find_faults(vhart->tenant, cause, pc, SYMPTOMS_FAULTS);
        shared_leave(hart);
    }
}

HOOK(exception_is_shown, symptoms_fault);

void symptoms_illegal(struct vhart *vhart, uint32_t instruction, uint64_t pc)
{
    const struct tenant *tenant = vhart->tenant;
    struct symptoms *own = &symptoms[tenant->index];
    struct hart *hart = vhart->world.hart;

    /* A look without the lock first: a tenant that tries again and again keeps no other hart up. */
    if (!instruction_is_of_machine_mode(instruction) ||
        (__atomic_load_n(&own->found, __ATOMIC_RELAXED) & SYMPTOM_MACHINE_MODE) != 0) {
        return;
    }
    shared_enter(hart);
    if ((own->found & SYMPTOM_MACHINE_MODE) == 0) {
        own->instruction = instruction;
        own->instruction_pc = pc;
        find(tenant, SYMPTOM_MACHINE_MODE);
    }
    shared_leave(hart);
}

HOOK(instruction_is_refused, symptoms_illegal);

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

void symptoms_only_faults(struct tenant *tenant, bool *only_faults)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        look(&tenant->vharts[i]);
    }
    *only_faults = (symptoms[tenant->index].found & SYMPTOM_FAULTS) != 0;
}

HOOK(tenant_is_looked_at, symptoms_only_faults);

/* Words of a line, with a number behind each. */
static const char *const of_faults[] = {"only faults: cause=", " pc=", " times="};
static const char *const of_machine_mode[] = {"expects machine mode: instruction=", " pc="};

/* The line that is being told. */
static struct {
    const struct tenant *tenant; /* NULL: none */
    struct monitor_log_parts parts;
    const char *const *words;
    uint64_t numbers[3];
    uint32_t count;
    uint8_t symptom;
} line;

static void begin_line(void)
{
    const struct symptoms *own;

    line.tenant = &tenants[lowest_bit(waiting)];
    own = &symptoms[line.tenant->index];
    if ((own->untold & SYMPTOM_MACHINE_MODE) != 0) {
        line.symptom = SYMPTOM_MACHINE_MODE;
        line.words = of_machine_mode;
        line.numbers[0] = own->instruction;
        line.numbers[1] = own->instruction_pc;
        line.count = 2;
    } else {
        line.symptom = SYMPTOM_FAULTS;
        line.words = of_faults;
        line.numbers[0] = own->cause;
        line.numbers[1] = own->pc;
        line.numbers[2] = own->times;
        line.count = own->times == 0 ? 2 : 3;
    }
}

static void end_line(void)
{
    struct symptoms *own = &symptoms[line.tenant->index];

    monitor_puts("\n");
    own->untold &= (uint8_t)~line.symptom;
    if (own->untold == 0) {
        waiting &= ~(1u << line.tenant->index);
    }
    line.tenant = NULL;
    line.parts = (struct monitor_log_parts){0};
}

static void tell_part(void)
{
    uint32_t part;

    if (monitor_log_begin_parts(&line.parts, line.tenant)) {
        return;
    }
    part = line.parts.told - MONITOR_LOG_PARTS_BEGUN;
    if (part == 2 * line.count) {
        end_line();
        return;
    }
    if (part % 2 == 0) {
        monitor_puts(line.words[part / 2]);
    } else if (part / 2 == 2) {
        monitor_put_u64(line.numbers[2]); /* how often */
    } else {
        monitor_put_hex(line.numbers[part / 2]);
    }
    monitor_log_note_part(&line.parts);
}

/* Out of line: a step that has nothing to tell saves no registers for it. */
static void __attribute__((noinline)) tell_parts(void)
{
    if (line.tenant == NULL) {
        begin_line();
    }
    do {
        tell_part();
    } while (line.tenant != NULL && !step_is_over());
}

bool symptoms_tell(void)
{
    if (waiting == 0) {
        return false;
    }
    tell_parts();
    return true;
}

static void wait(bool *waits)
{
    *waits |= waiting != 0;
}

HOOK(power_off_waits, wait);

static unsigned symptoms_step(uint64_t now)
{
    (void)now;
    if (!symptoms_tell()) {
        return WORK_NOTHING;
    }
    return WORK_DONE | (line.tenant != NULL ? WORK_SAME : 0);
}

WORK(symptoms, NULL, symptoms_step);
FEATURE(symptoms);

/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/pmu/counters.h"

#include "arch/csr.h"

#define FIXED (1ul << COUNTER_CYCLE | 1ul << COUNTER_INSTRET)
#define NUMBERS (COUNTER_FIRST_PROGRAMMABLE + PMU_MOST_PROGRAMMABLE)

struct hart_counters hart_counters[COTENANT_MAX_HARTS];

/* Counters from number 3 on that can be stopped and read by S-mode, and are all as wide. */
static void probe_programmable(const struct hart *hart, uint64_t usable)
{
    struct hart_counters *counters = &hart_counters[hart->index];
    uint64_t bits = counter_probe(COUNTER_FIRST_PROGRAMMABLE);
    uint32_t count = COUNTER_FIRST_PROGRAMMABLE;

    while (count < NUMBERS && (usable >> count & 1) != 0 && bits != 0 &&
           counter_probe(count) == bits) {
        count++;
    }
    counters->count = count;
    for (counters->width = 0; bits != 0; bits >>= 1) {
        counters->width++;
    }
}

void counters_probe(struct hart *hart)
{
    uint64_t inhibit = counter_probe_inhibit();
    uint64_t usable;

    CSR_WRITE(mcounteren, UINT32_MAX);
    usable = inhibit & CSR_READ(mcounteren);
    CSR_WRITE(mcounteren, COUNTERS_BASIC);
    if ((usable & FIXED) == FIXED) {
        probe_programmable(hart, usable);
    }
    if (inhibit != 0) {
        CSR_WRITE(mcountinhibit, counters_programmable(hart));
    }
}

/*
 * Those that the vhart has configured; a cycle or instret only from its first start on: a kernel
 * that tries at boot what it can have stops no clock of anybody.
 */
static uint64_t owned(const struct vhart *vhart)
{
    const struct pmu *pmu = pmu_of(vhart);

    return pmu->configured & counters_of(vhart->world.hart) & (pmu->used | ~FIXED);
}

static uint64_t programmable_count(const struct hart *hart)
{
    return hart_counters[hart->index].count - COUNTER_FIRST_PROGRAMMABLE;
}

static struct pmu_counter *programmable(struct vhart *vhart)
{
    return &pmu_of(vhart)->counters[COUNTER_FIRST_PROGRAMMABLE];
}

/* What stands still while the vhart's counts move in or out. */
static uint64_t still(const struct hart *hart, uint64_t own)
{
    return counters_programmable(hart) | (own & FIXED);
}

/* Of a cycle or instret that is the vhart's: what the hart's own is ahead of it. */
static uint64_t ahead(struct pmu *pmu, unsigned counter, uint64_t now)
{
    uint64_t value = pmu->counters[counter].value;

    pmu->ahead[counter] = now - value;
    return value;
}

/* Notes the vhart's value, and returns the hart's own. */
static uint64_t behind(struct pmu *pmu, unsigned counter, uint64_t value)
{
    pmu->counters[counter].value = value;
    return value + pmu->ahead[counter];
}

void counters_load(struct vhart *vhart)
{
    const struct hart *hart = vhart->world.hart;
    struct pmu *pmu = pmu_of(vhart);
    uint64_t own = owned(vhart);

    pmu->own = own;
    CSR_WRITE(mcountinhibit, still(hart, own));
    if ((own & 1ul << COUNTER_CYCLE) != 0) {
        CSR_WRITE(mcycle, ahead(pmu, COUNTER_CYCLE, CSR_READ(mcycle)));
    }
    if ((own & 1ul << COUNTER_INSTRET) != 0) {
        CSR_WRITE(minstret, ahead(pmu, COUNTER_INSTRET, CSR_READ(minstret)));
    }
    if ((own & ~FIXED) != 0) {
        counters_write(programmable(vhart), programmable_count(hart));
    }
    CSR_WRITE(mcounteren, COUNTERS_BASIC | own);
    CSR_WRITE(mcountinhibit, still(hart, own) & ~(own & pmu->started));
}

/* A vhart above it waits for this: as few registers as can be. */
void counters_save(struct vhart *vhart)
{
    const struct hart *hart = vhart->world.hart;
    struct pmu *pmu = pmu_of(vhart);
    uint64_t own = pmu->own;

    if ((own & 1ul << COUNTER_CYCLE) != 0) {
        CSR_WRITE(mcycle, behind(pmu, COUNTER_CYCLE, CSR_READ(mcycle)));
    }
    if ((own & 1ul << COUNTER_INSTRET) != 0) {
        CSR_WRITE(minstret, behind(pmu, COUNTER_INSTRET, CSR_READ(minstret)));
    }
    CSR_WRITE(mcountinhibit, counters_programmable(hart));
    CSR_WRITE(mcounteren, COUNTERS_BASIC);
    if ((own & ~FIXED) != 0) {
        counters_read(programmable(vhart), programmable_count(hart));
    }
}

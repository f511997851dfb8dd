/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/counters.h"

#include "arch/csr.h"

#define FIXED (1ul << COUNTER_CYCLE | 1ul << COUNTER_INSTRET)
#define NUMBERS (COUNTER_FIRST_PROGRAMMABLE + PMU_MOST_PROGRAMMABLE)

/* Counters from number 3 on that can be stopped and read by S-mode, and are all as wide. */
static void probe_programmable(struct hart *hart, uint64_t usable)
{
    uint64_t bits = counter_probe(COUNTER_FIRST_PROGRAMMABLE);
    uint32_t count = COUNTER_FIRST_PROGRAMMABLE;

    while (count < NUMBERS && (usable >> count & 1) != 0 && bits != 0 &&
           counter_probe(count) == bits) {
        count++;
    }
    hart->counter_count = count;
    for (hart->counter_width = 0; bits != 0; bits >>= 1) {
        hart->counter_width++;
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
    uint64_t configured = vhart->pmu.configured & counters_of(vhart->world.hart);

    return configured & (vhart->pmu.used | ~FIXED);
}

/* What stands still while the vhart's counts move in or out. */
static uint64_t still(const struct vhart *vhart)
{
    return counters_programmable(vhart->world.hart) | (owned(vhart) & FIXED);
}

static void load(struct pmu *pmu, uint64_t counter)
{
    uint64_t value = pmu->counters[counter].value;

    if (counter < COUNTER_FIRST_PROGRAMMABLE) {
        pmu->ahead[counter] = counter_exchange(counter, value) - value;
    } else {
        counter_event_exchange(counter, pmu->counters[counter].event);
        counter_exchange(counter, value);
    }
}

/* One that is stopped has its value already. */
static void save(struct pmu *pmu, uint64_t counter)
{
    uint64_t value = counter_exchange(counter, 0);

    if ((pmu->started >> counter & 1) != 0) {
        pmu->counters[counter].value = value;
    }
    if (counter < COUNTER_FIRST_PROGRAMMABLE) {
        counter_exchange(counter, pmu->counters[counter].value + pmu->ahead[counter]);
    } else {
        counter_event_exchange(counter, 0);
    }
}

void counters_load(struct vhart *vhart)
{
    uint64_t own = owned(vhart);

    CSR_WRITE(mcountinhibit, still(vhart));
    for (uint64_t counter = 0; own >> counter != 0; counter++) {
        if ((own >> counter & 1) != 0) {
            load(&vhart->pmu, counter);
        }
    }
    CSR_WRITE(mcounteren, COUNTERS_BASIC | own);
    CSR_WRITE(mcountinhibit, still(vhart) & ~(own & vhart->pmu.started));
}

void counters_save(struct vhart *vhart)
{
    uint64_t own = owned(vhart);

    CSR_WRITE(mcountinhibit, still(vhart));
    CSR_WRITE(mcounteren, COUNTERS_BASIC);
    for (uint64_t counter = 0; own >> counter != 0; counter++) {
        if ((own >> counter & 1) != 0) {
            save(&vhart->pmu, counter);
        }
    }
    CSR_WRITE(mcountinhibit, counters_programmable(vhart->world.hart));
}

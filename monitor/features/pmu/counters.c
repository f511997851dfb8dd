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
    counters->programmable = (1ul << count) - (1ul << COUNTER_FIRST_PROGRAMMABLE);
    counters->all = counters->programmable | FIXED;
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
        CSR_WRITE(mcountinhibit, counters_in(hart)->programmable);
    }
}

/*
 * Those that the vhart has configured; a cycle or instret only from its first start on, so that a
 * kernel that probes counters at boot does not stop the hart's own.
 */
static inline uint64_t owned(const struct hart_counters *in_hart, const struct pmu *pmu)
{
    return pmu->configured & in_hart->all & (pmu->used | ~FIXED);
}

/* Of a cycle or instret that is the vhart's: what the hart's own is ahead of it. */
static inline uint64_t ahead(struct pmu *pmu, unsigned counter, uint64_t now)
{
    uint64_t value = pmu->counters[counter].value;

    pmu->ahead[counter] = now - value;
    return value;
}

/* Notes the vhart's value, and returns the hart's own. */
static inline uint64_t behind(struct pmu *pmu, unsigned counter, uint64_t value)
{
    pmu->counters[counter].value = value;
    return value + pmu->ahead[counter];
}

static inline uint64_t programmable_count(const struct hart_counters *in_hart)
{
    return in_hart->count - COUNTER_FIRST_PROGRAMMABLE;
}

void counters_prepare(const struct hart_counters *in_hart, const struct pmu *pmu)
{
    if ((pmu->configured & in_hart->programmable) != 0) {
        counters_write(&pmu->counters[COUNTER_FIRST_PROGRAMMABLE], programmable_count(in_hart));
    }
}

void counters_load(const struct hart_counters *in_hart, struct pmu *pmu)
{
    uint64_t own = owned(in_hart, pmu);
    uint64_t still = in_hart->programmable | (own & FIXED);

    pmu->own = own;
    CSR_WRITE(mcountinhibit, still);
    if ((own & 1ul << COUNTER_CYCLE) != 0) {
        CSR_WRITE(mcycle, ahead(pmu, COUNTER_CYCLE, CSR_READ(mcycle)));
    }
    if ((own & 1ul << COUNTER_INSTRET) != 0) {
        CSR_WRITE(minstret, ahead(pmu, COUNTER_INSTRET, CSR_READ(minstret)));
    }
    CSR_WRITE(mcounteren, COUNTERS_BASIC | own);
    CSR_WRITE(mcountinhibit, still & ~(own & pmu->started));
}

/* A vhart above it waits for this: as few registers as can be. */
void counters_save(const struct hart_counters *in_hart, struct pmu *pmu)
{
    uint64_t own = pmu->own;

    pmu->own = 0;
    if ((own & 1ul << COUNTER_CYCLE) != 0) {
        CSR_WRITE(mcycle, behind(pmu, COUNTER_CYCLE, CSR_READ(mcycle)));
    }
    if ((own & 1ul << COUNTER_INSTRET) != 0) {
        CSR_WRITE(minstret, behind(pmu, COUNTER_INSTRET, CSR_READ(minstret)));
    }
    CSR_WRITE(mcountinhibit, in_hart->programmable);
    CSR_WRITE(mcounteren, COUNTERS_BASIC);
    if ((own & ~FIXED) != 0) {
        counters_read(&pmu->counters[COUNTER_FIRST_PROGRAMMABLE], programmable_count(in_hart));
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hart's performance counters (privileged ISA 3.1.10 to 3.1.12) and what a vhart has in them.
 *
 * Counters are numbered as their CSRs: 0 is cycle, 2 is instret, 3 to 31 are programmable; number 1
 * would be time, which is no counter. While no vhart's counts are in the hart, cycle and instret
 * run as ever, for every tenant to read, and the programmable ones stand still, out of reach of
 * all: they keep what they had then.
 *
 * A vhart's own counts are in the hart while it has the hart, and only those of its programmable
 * counters that it has configured can be read. All programmable ones move at once then, however
 * many it has configured: that is shorter than to look for them. They are saved when it leaves,
 * although no other vhart may need them: those of QEMU 7.2 do not stand still while they are
 * stopped. A cycle or instret that it has configured and started counts for it alone from then on:
 * the hart's own count is put aside and goes on, by as much, when the vhart leaves. It goes without
 * what the vhart runs while it has that counter stopped.
 *
 * Called by the vhart's own hart, interrupts off.
 */
#ifndef COTENANT_FEATURES_PMU_COUNTERS_H
#define COTENANT_FEATURES_PMU_COUNTERS_H

#include "core/hart.h"
#include "core/vhart.h"
#include "features/pmu/pmu.h"

#define COUNTER_CYCLE 0
#define COUNTER_INSTRET 2
#define COUNTER_FIRST_PROGRAMMABLE 3
#define COUNTER_CSR_CYCLE 0xc00

/* By hart->index. */
extern struct hart_counters {
    uint32_t count; /* numbers of counters, from cycle (0) on, that vharts can have; 0: none */
    uint32_t width; /* bits that a programmable one has */
    /* The same as bits, and those of them that count what they are told to. */
    uint64_t all;
    uint64_t programmable;
} hart_counters[COTENANT_MAX_HARTS];

static inline const struct hart_counters *counters_in(const struct hart *hart)
{
    return &hart_counters[hart->index];
}

/*
 * Finds out what the running hart has, into its entry of hart_counters. Without
 * mcountinhibit nothing can be stopped, so there are none to give (SBI section 11). For boot.
 */
void counters_probe(struct hart *hart);

/* Numbers, as bits, of the counters that vharts of the hart can have. */
static inline uint64_t counters_of(const struct hart *hart)
{
    return counters_in(hart)->all;
}

/*
 * The vhart's counts get into the hart, which it has, in two steps; in between they are not there.
 * counters_prepare(): its programmable ones, which stand still, out of reach of all;
 * counters_load() does the rest. counters_save() takes all out again.
 */
void counters_prepare(const struct hart_counters *in_hart, const struct pmu *pmu);
void counters_load(const struct hart_counters *in_hart, struct pmu *pmu);
void counters_save(const struct hart_counters *in_hart, struct pmu *pmu);

/* arch/counter_csr.S */
void counters_read(struct pmu_counter *counters, uint64_t count);
void counters_write(const struct pmu_counter *counters, uint64_t count);
uint64_t counter_probe(uint64_t counter);
uint64_t counter_probe_inhibit(void);

#endif

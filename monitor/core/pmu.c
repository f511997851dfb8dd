/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/pmu.h"

#include "abi/sbi.h"
#include "arch/counters.h"
#include "arch/memory.h"
#include "arch/trap_vector.h"
#include "core/plain_path.h"
#include "core/tenant.h"

/* Fields of an event index, 20 bits. */
#define EVENT_TYPE_SHIFT 16
#define EVENT_CODE_MASK 0xffff

static uint64_t total_of(const struct pmu *pmu, unsigned counter)
{
    return __atomic_load_n(&pmu->totals[pmu->counters[counter].event], __ATOMIC_RELAXED);
}

static uint64_t hardware(const struct vhart *vhart)
{
    return counters_of(vhart->world.hart);
}

/* Index 1 is a firmware counter wherever the hart has counters: no gap, as the count has none. */
unsigned pmu_counter_count(const struct vhart *vhart)
{
    uint32_t numbers = vhart->world.hart->counter_count;

    return (numbers == 0 ? 0 : numbers - 1) + PMU_FIRMWARE_COUNTERS;
}

uint64_t pmu_firmware_counters(const struct vhart *vhart)
{
    return ((1ul << pmu_counter_count(vhart)) - 1) & ~hardware(vhart);
}

/*
 * What a general or cache event is called in mhpmevent differs from hart to hart, so they are not
 * offered but for the two that have counters of their own. Raw events go to the hart as they are;
 * event 0 is none (privileged ISA 3.1.11), and the upper bits, which are about overflow interrupts
 * and privilege modes where they have a meaning, stay 0.
 */
uint64_t pmu_able_counters(const struct vhart *vhart, uint64_t event, uint64_t data,
                           uint64_t *setting)
{
    uint64_t type = event >> EVENT_TYPE_SHIFT;
    uint64_t code = event & EVENT_CODE_MASK;

    *setting = data;
    if (type == SBI_PMU_TYPE_GENERAL && code == SBI_PMU_HW_CPU_CYCLES && data == 0) {
        return hardware(vhart) & 1ul << COUNTER_CYCLE;
    }
    if (type == SBI_PMU_TYPE_GENERAL && code == SBI_PMU_HW_INSTRUCTIONS && data == 0) {
        return hardware(vhart) & 1ul << COUNTER_INSTRET;
    }
    if (code == 0 && data != 0 &&
        ((type == SBI_PMU_TYPE_RAW && data >> SBI_PMU_RAW_BITS == 0) ||
         (type == SBI_PMU_TYPE_RAW_V2 && data >> SBI_PMU_RAW_V2_BITS == 0))) {
        return counters_programmable(vhart->world.hart);
    }
    if (type == SBI_PMU_TYPE_FIRMWARE && code < PMU_FIRMWARE_EVENTS && data == 0) {
        *setting = code;
        return pmu_firmware_counters(vhart);
    }
    return 0;
}

static bool counts_set_timer(const struct vhart *vhart)
{
    const struct pmu *pmu = &vhart->pmu;
    uint64_t set = pmu->started & pmu_firmware_counters(vhart);

    for (unsigned counter = 0; set >> counter != 0; counter++) {
        if ((set >> counter & 1) != 0 && pmu->counters[counter].event == SBI_PMU_FW_SET_TIMER) {
            return true;
        }
    }
    return false;
}

void pmu_enter(struct vhart *vhart)
{
    if ((vhart->plain_path & PLAIN_PATH_COUNTERS) == 0 || vhart->pmu.in_hart) {
        return;
    }
    vhart->pmu.in_hart = true;
    if ((vhart->pmu.configured & hardware(vhart)) != 0) {
        counters_load(vhart);
    }
    if (vhart->pmu.counts_set_timer) {
        trap_use_fast_paths(false);
    }
}

void pmu_leave(struct vhart *vhart)
{
    if (!vhart->pmu.in_hart) {
        return;
    }
    vhart->pmu.in_hart = false;
    if ((vhart->pmu.configured & hardware(vhart)) != 0) {
        counters_save(vhart);
    }
    if (vhart->pmu.counts_set_timer) {
        trap_use_fast_paths(true);
    }
}

/* After a change, for which what was in the hart was taken out of it. */
static void go_on(struct vhart *vhart)
{
    vhart->pmu.counts_set_timer = counts_set_timer(vhart);
    if ((vhart->pmu.configured & hardware(vhart)) != 0 || vhart->pmu.counts_set_timer) {
        plain_path_begin(vhart, PLAIN_PATH_COUNTERS);
    } else {
        plain_path_end(vhart, PLAIN_PATH_COUNTERS);
    }
    pmu_enter(vhart);
}

void pmu_configure(struct vhart *vhart, unsigned counter, uint64_t setting, bool clear)
{
    struct pmu *pmu = &vhart->pmu;

    vhart->has_extras = true;
    pmu_leave(vhart);
    pmu->configured |= 1ul << counter;
    pmu->counters[counter].event = setting;
    if (clear) {
        pmu->counters[counter].value = 0;
    }
    go_on(vhart);
}

void pmu_start(struct vhart *vhart, uint64_t set, const uint64_t *value)
{
    struct pmu *pmu = &vhart->pmu;
    uint64_t begin = set & pmu->configured & ~pmu->started;
    uint64_t firmware = pmu_firmware_counters(vhart);

    pmu_leave(vhart);
    for (unsigned counter = 0; begin >> counter != 0; counter++) {
        if ((begin >> counter & 1) == 0) {
            continue;
        }
        if (value != NULL) {
            pmu->counters[counter].value = *value;
        }
        if ((firmware >> counter & 1) != 0) {
            pmu->counters[counter].value -= total_of(pmu, counter);
        }
    }
    pmu->started |= begin;
    pmu->used |= begin;
    go_on(vhart);
}

void pmu_stop(struct vhart *vhart, uint64_t set, bool reset)
{
    struct pmu *pmu = &vhart->pmu;
    uint64_t end = set & pmu->started & pmu_firmware_counters(vhart);

    pmu_leave(vhart);
    for (unsigned counter = 0; end >> counter != 0; counter++) {
        if ((end >> counter & 1) != 0) {
            pmu->counters[counter].value += total_of(pmu, counter);
        }
    }
    pmu->started &= ~set;
    if (reset) {
        pmu->configured &= ~set;
        pmu->used &= ~set;
    }
    go_on(vhart);
}

uint64_t pmu_firmware_value(const struct vhart *vhart, unsigned counter)
{
    const struct pmu *pmu = &vhart->pmu;
    uint64_t value = pmu->counters[counter].value;

    return (pmu->started >> counter & 1) != 0 ? value + total_of(pmu, counter) : value;
}

void pmu_end(struct vhart *vhart)
{
    struct pmu *pmu = &vhart->pmu;

    pmu_leave(vhart);
    plain_path_end(vhart, PLAIN_PATH_COUNTERS);
    pmu->configured = 0;
    pmu->started = 0;
    pmu->used = 0;
    pmu->counts_set_timer = false;
    memset(pmu->counters, 0, sizeof(pmu->counters));
}

void pmu_count(struct vhart *vhart, unsigned event)
{
    __atomic_fetch_add(&vhart->pmu.totals[event], 1, __ATOMIC_RELAXED);
}

void pmu_count_request(struct vhart *vhart, uint64_t targets, unsigned sent, unsigned received)
{
    uint64_t others = targets & ~(1ul << vhart->world.vhart_id);

    for (unsigned id = 0; others >> id != 0; id++) {
        struct vhart *target = &vhart->tenant->vharts[id];

        if ((others >> id & 1) != 0 && target->state != VHART_STOPPED) {
            pmu_count(vhart, sent);
            pmu_count(target, received);
        }
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/pmu/pmu.h"

#include "abi/sbi.h"
#include "arch/memory.h"
#include "arch/trap_vector.h"
#include "core/attended.h"
#include "core/feature.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "features/pmu/counters.h"
#include "irq/source_set.h"

/* Fields of an event index, 20 bits. */
#define EVENT_TYPE_SHIFT 16
#define EVENT_CODE_MASK 0xffff

struct pmu pmus[COTENANT_MAX_VHARTS];

/* Firmware counters that are started or stopped without a look at interrupts. */
#define MOST_AT_ONCE 2
/* Counters of the hart are by eights. */
#define EIGHT 0xfful

static uint64_t total_of(const struct pmu *pmu, const struct pmu_counter *counter)
{
    return __atomic_load_n(&pmu->totals[counter->event], __ATOMIC_RELAXED);
}

static uint64_t hardware(const struct vhart *vhart)
{
    return counters_of(vhart->world.hart);
}

/* Index 1 is a firmware counter wherever the hart has counters: no gap, as the count has none. */
unsigned pmu_counter_count(const struct vhart *vhart)
{
    uint32_t numbers = counters_in(vhart->world.hart)->count;

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
        return counters_in(vhart->world.hart)->programmable;
    }
    if (type == SBI_PMU_TYPE_FIRMWARE && code < PMU_FIRMWARE_EVENTS && data == 0) {
        *setting = code;
        return pmu_firmware_counters(vhart);
    }
    return 0;
}

/*
 * If the hart is wanted, what is not in it now stays out until the scheduler gives the vhart the
 * hart again.
 */
static bool stays_out(const struct vhart *vhart)
{
    if (hart_is_wanted()) {
        vhart->world.hart->reschedule = true;
        return true;
    }
    return false;
}

/* Out of line, so that a vhart without counters saves no registers for it. */
static void __attribute__((noinline)) put_in(struct vhart *vhart, struct pmu *pmu)
{
    const struct hart_counters *in_hart = counters_in(vhart->world.hart);

    counters_prepare(in_hart, pmu);
    if (stays_out(vhart)) {
        return;
    }
    pmu->in_hart = true;
    if (pmu->counts_set_timer) {
        trap_use_fast_paths(false);
    }
    if ((pmu->configured & in_hart->all) != 0) {
        counters_load(in_hart, pmu);
    }
}

void pmu_enter(struct vhart *vhart)
{
    struct pmu *pmu = pmu_of(vhart);

    if (pmu->attended && !pmu->in_hart) {
        put_in(vhart, pmu);
    }
}

/* So is this. */
static void __attribute__((noinline)) take_out(const struct vhart *vhart, struct pmu *pmu)
{
    pmu->in_hart = false;
    if (pmu->counts_set_timer) {
        trap_use_fast_paths(true);
    }
    if (pmu->own != 0) {
        counters_save(counters_in(vhart->world.hart), pmu);
    }
}

void pmu_leave(struct vhart *vhart)
{
    struct pmu *pmu = pmu_of(vhart);

    if (pmu->in_hart) {
        take_out(vhart, pmu);
    }
}

static bool counts_set_timer(const struct pmu *pmu)
{
    return (pmu->started & pmu->set_timer) != 0;
}

/* What is to be changed may be in the hart: takes it out. False: the hart is wanted. */
static bool may_change(struct vhart *vhart)
{
    if (!pmu_of(vhart)->in_hart) {
        return !hart_is_wanted();
    }
    pmu_leave(vhart);
    return !stays_out(vhart);
}

/*
 * After the changes: what is to be in the hart gets there if it was taken out, or is new; by the
 * scheduler if that is asked anyway.
 */
static void go_on(struct vhart *vhart)
{
    struct pmu *pmu = pmu_of(vhart);

    if (pmu->in_hart) {
        return;
    }
    pmu->counts_set_timer = counts_set_timer(pmu);
    if ((pmu->configured & hardware(vhart)) != 0 || pmu->counts_set_timer) {
        attended_begin(vhart, &pmu->attended);
    } else {
        attended_end(vhart, &pmu->attended);
    }
    if (!vhart->world.hart->reschedule && !stays_out(vhart)) {
        pmu_enter(vhart);
    }
}

bool pmu_configure(struct vhart *vhart, unsigned counter, uint64_t setting, bool clear, bool start)
{
    struct pmu *pmu = pmu_of(vhart);
    struct pmu_counter *changed = &pmu->counters[counter];
    bool is_firmware = (pmu_firmware_counters(vhart) >> counter & 1) != 0;
    uint64_t bit = 1ul << counter;
    bool concerned = !is_firmware || setting == SBI_PMU_FW_SET_TIMER;

    vhart->uses_features = true;
    if (concerned && !may_change(vhart)) {
        return false;
    }
    pmu->configured |= bit;
    pmu->set_timer &= ~bit;
    changed->event = setting;
    if (clear) {
        changed->value = 0;
    }
    if (is_firmware && setting == SBI_PMU_FW_SET_TIMER) {
        pmu->set_timer |= bit;
    }
    if (start) {
        changed->value -= is_firmware ? total_of(pmu, changed) : 0;
        pmu->started |= bit;
        pmu->used |= bit;
    }
    if (concerned) {
        go_on(vhart);
    }
    return true;
}

/*
 * Those of `set`, which is not empty, that are started or stopped at once: some firmware counters
 * or, if there are none left, some of the hart's.
 */
static uint64_t piece_of(const struct vhart *vhart, uint64_t set)
{
    uint64_t firmware = set & pmu_firmware_counters(vhart);
    uint64_t rest = firmware;
    uint64_t eight = EIGHT;

    for (unsigned i = 0; i < MOST_AT_ONCE; i++) {
        rest &= rest - 1;
    }
    if (firmware != 0) {
        return firmware & ~rest;
    }
    while ((set & eight) == 0) {
        eight <<= 8;
    }
    return set & eight;
}

/* The next one of `*set`, which is not empty, and takes it out. */
static struct pmu_counter *take_one(struct pmu *pmu, uint64_t *set)
{
    struct pmu_counter *counter = &pmu->counters[lowest_bit((uint32_t)*set)];

    *set &= *set - 1;
    return counter;
}

/*
 * The next piece of `left`; false: there is none, or the hart is wanted. What is in the hart, or of
 * the trap entry, is changed while it is out of it.
 */
static bool begin_piece(struct vhart *vhart, uint64_t left, uint64_t *piece)
{
    if (left == 0) {
        return false;
    }
    *piece = piece_of(vhart, left);
    if ((*piece & (hardware(vhart) | pmu_of(vhart)->set_timer)) == 0) {
        return !hart_is_wanted();
    }
    return may_change(vhart);
}

static void start_piece(struct vhart *vhart, uint64_t piece, const uint64_t *value)
{
    struct pmu *pmu = pmu_of(vhart);
    bool is_firmware = (piece & pmu_firmware_counters(vhart)) != 0;

    for (uint64_t left = is_firmware || value != NULL ? piece : 0; left != 0;) {
        struct pmu_counter *counter = take_one(pmu, &left);

        counter->value = value != NULL ? *value : counter->value;
        counter->value -= is_firmware ? total_of(pmu, counter) : 0;
    }
    pmu->started |= piece;
    pmu->used |= piece;
}

static void stop_piece(struct vhart *vhart, uint64_t piece, bool reset)
{
    struct pmu *pmu = pmu_of(vhart);
    uint64_t running = piece & pmu->started & pmu_firmware_counters(vhart);

    while (running != 0) {
        struct pmu_counter *counter = take_one(pmu, &running);

        counter->value += total_of(pmu, counter);
    }
    pmu->started &= ~piece;
    if (reset) {
        pmu->configured &= ~piece;
        pmu->used &= ~piece;
        pmu->set_timer &= ~piece;
    }
}

/* What is left of a call is done when it is made again; returns whether nothing is. */
static bool note_changed(struct pmu *pmu, uint64_t changed, uint64_t left)
{
    pmu->changed = left != 0 ? pmu->changed | changed : 0;
    return left == 0;
}

bool pmu_start(struct vhart *vhart, uint64_t set, const uint64_t *value)
{
    struct pmu *pmu = pmu_of(vhart);
    uint64_t begin = set & pmu->configured & ~pmu->started;
    uint64_t left = begin;

    for (uint64_t piece; begin_piece(vhart, left, &piece); left &= ~piece) {
        start_piece(vhart, piece, value);
    }
    go_on(vhart);
    return note_changed(pmu, begin, left);
}

bool pmu_stop(struct vhart *vhart, uint64_t set, bool reset)
{
    struct pmu *pmu = pmu_of(vhart);
    uint64_t end = set & (reset ? pmu->configured : pmu->started);
    uint64_t running = end & pmu->started;
    uint64_t left = end;

    for (uint64_t piece; begin_piece(vhart, left, &piece); left &= ~piece) {
        stop_piece(vhart, piece, reset);
    }
    go_on(vhart);
    return note_changed(pmu, running, left);
}

uint64_t pmu_firmware_value(const struct vhart *vhart, unsigned counter)
{
    const struct pmu *pmu = pmu_of(vhart);
    uint64_t value = pmu->counters[counter].value;

    return (pmu->started >> counter & 1) != 0 ? value + total_of(pmu, &pmu->counters[counter])
                                              : value;
}

void pmu_end(struct vhart *vhart)
{
    struct pmu *pmu = pmu_of(vhart);

    pmu_leave(vhart);
    attended_end(vhart, &pmu->attended);
    pmu->configured = 0;
    pmu->started = 0;
    pmu->used = 0;
    pmu->set_timer = 0;
    pmu->changed = 0;
    pmu->counts_set_timer = false;
    memset(pmu->counters, 0, sizeof(pmu->counters));
}

static void count(struct vhart *vhart, unsigned event)
{
    __atomic_fetch_add(&pmu_of(vhart)->totals[event], 1, __ATOMIC_RELAXED);
}

/* Those that are stopped are not asked, and itself it does not ask. */
static void count_requests(struct vhart *vhart, uint64_t targets, unsigned sent, unsigned received)
{
    uint64_t others = targets & ~(1ul << vhart->world.vhart_id);

    for (unsigned id = 0; others >> id != 0; id++) {
        struct vhart *target = &vhart->tenant->vharts[id];

        if ((others >> id & 1) != 0 && target->state != VHART_STOPPED) {
            count(vhart, sent);
            count(target, received);
        }
    }
}

FEATURE(pmu);
HOOK(firmware_event, count);
HOOK(firmware_requests, count_requests);
HOOK(hart_begins, counters_probe);
HOOK(vhart_enters, pmu_enter);
HOOK(vhart_leaves, pmu_leave);
HOOK(vhart_ends, pmu_end);

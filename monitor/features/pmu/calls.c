/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 11: performance monitoring unit.
 *
 * The snapshot of counters in shared memory (sections 11.13, 11.9 and 11.10) is not offered: it
 * saves calls where overflow interrupts make many of them, and there are none here. The flags that
 * mean privilege modes not to count in are hints, which are not followed.
 */
#include "core/wanted.h"
#include "features/pmu/counters.h"
#include "features/pmu/pmu.h"
#include "irq/source_set.h"
#include "sbi/sbi.h"

/* Of a counter, unless the hart says otherwise. */
#define WIDTH 64
/* Entries that one event_get_info takes at most: a page of them. */
#define MOST_ENTRIES 256

/* Entry of section 11.14. */
struct event_info {
    uint32_t event;
    uint32_t supported;
    uint64_t data;
};

#define EVENT_MASK 0xfffff

/* The counters that base and mask name; false if there is one that does not exist. */
static bool counter_set(const struct vhart *vhart, uint64_t base, uint64_t mask, uint64_t *set)
{
    unsigned count = pmu_counter_count(vhart);

    if (base >= count) {
        *set = 0;
        return mask == 0;
    }
    *set = mask << base;
    return mask >> (count - base) == 0;
}

static struct sbi_result counter_get_info(const struct vhart *vhart, uint64_t counter)
{
    uint64_t width = WIDTH - 1;

    if (counter >= pmu_counter_count(vhart)) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if ((pmu_firmware_counters(vhart) >> counter & 1) != 0) {
        return sbi_value(SBI_PMU_INFO_FIRMWARE | width << SBI_PMU_INFO_WIDTH_SHIFT);
    }
    if (counter >= COUNTER_FIRST_PROGRAMMABLE) {
        width = counters_in(vhart->world.hart)->width - 1;
    }
    return sbi_value(width << SBI_PMU_INFO_WIDTH_SHIFT | (COUNTER_CSR_CYCLE + counter));
}

/*
 * A counter that has an event is left alone even if it is not started: kernels start some later.
 * Who skips the matching names the counter, and may give it another event.
 */
static struct sbi_result config_matching(struct vhart *vhart, const uint64_t *arguments)
{
    uint64_t flags = arguments[2];
    uint64_t setting;
    uint64_t set;
    unsigned counter;

    if ((flags & ~(uint64_t)SBI_PMU_CONFIG_FLAGS) != 0 ||
        !counter_set(vhart, arguments[0], arguments[1], &set)) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if ((flags & SBI_PMU_CONFIG_SKIP_MATCH) != 0) {
        set &= -set & ~pmu_of(vhart)->started;
    } else {
        set &= ~pmu_of(vhart)->configured;
    }
    set &= pmu_able_counters(vhart, arguments[3], arguments[4], &setting);
    if (set == 0) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    counter = lowest_bit((uint32_t)set);
    if (hart_is_wanted() ||
        !pmu_configure(vhart, counter, setting, (flags & SBI_PMU_CONFIG_CLEAR_VALUE) != 0,
                       (flags & SBI_PMU_CONFIG_AUTO_START) != 0)) {
        return sbi_repeat();
    }
    return sbi_value(counter);
}

/* A counter without an event cannot be started. Those that are started already go on as they are.
 */
static struct sbi_result counter_start(struct vhart *vhart, const uint64_t *arguments)
{
    uint64_t flags = arguments[2];
    uint64_t started = pmu_of(vhart)->started & ~pmu_of(vhart)->changed;
    uint64_t set;

    if ((flags & ~(uint64_t)(SBI_PMU_START_SET_INIT_VALUE | SBI_PMU_START_INIT_SNAPSHOT)) != 0 ||
        !counter_set(vhart, arguments[0], arguments[1], &set) ||
        (set & ~pmu_of(vhart)->configured) != 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if ((flags & SBI_PMU_START_INIT_SNAPSHOT) != 0) {
        return sbi_error(SBI_ERR_NO_SHMEM);
    }
    if (!pmu_start(vhart, set,
                   (flags & SBI_PMU_START_SET_INIT_VALUE) != 0 ? &arguments[3] : NULL)) {
        return sbi_repeat();
    }
    return sbi_error((set & started) != 0 ? SBI_ERR_ALREADY_STARTED : SBI_SUCCESS);
}

/* The reset counts for those that are stopped already, too: kernels rely on it. */
static struct sbi_result counter_stop(struct vhart *vhart, const uint64_t *arguments)
{
    uint64_t flags = arguments[2];
    uint64_t started = pmu_of(vhart)->started | pmu_of(vhart)->changed;
    uint64_t set;

    if ((flags & ~(uint64_t)(SBI_PMU_STOP_RESET | SBI_PMU_STOP_TAKE_SNAPSHOT)) != 0 ||
        !counter_set(vhart, arguments[0], arguments[1], &set)) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if ((flags & SBI_PMU_STOP_TAKE_SNAPSHOT) != 0) {
        return sbi_error(SBI_ERR_NO_SHMEM);
    }
    if (!pmu_stop(vhart, set, (flags & SBI_PMU_STOP_RESET) != 0)) {
        return sbi_repeat();
    }
    return sbi_error((set & ~started) != 0 ? SBI_ERR_ALREADY_STOPPED : SBI_SUCCESS);
}

/* The high half (`high`) is only of use on RV32. */
static struct sbi_result firmware_read(const struct vhart *vhart, uint64_t counter, bool high)
{
    if (counter >= pmu_counter_count(vhart) || (pmu_firmware_counters(vhart) >> counter & 1) == 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    return sbi_value(high ? 0 : pmu_firmware_value(vhart, (unsigned)counter));
}

/* Event data is for raw and firmware events only. */
static bool is_supported(const struct vhart *vhart, uint32_t event, uint64_t data)
{
    bool takes_data = event >= SBI_PMU_TYPE_RAW << 16;
    uint64_t setting;

    return pmu_able_counters(vhart, event, takes_data ? data : 0, &setting) != 0;
}

/*
 * The work of an entry is small; if there are many and another vhart is due, the call is
 * made again afterwards, from the beginning. An entry is answered the same each time.
 */
static struct sbi_result event_get_info(struct vhart *vhart, const uint64_t *arguments)
{
    volatile struct event_info *entries;
    uint64_t count = arguments[2];

    if (arguments[3] != 0 || count == 0 || arguments[0] % sizeof(*entries) != 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (count > MOST_ENTRIES) {
        return sbi_error(SBI_ERR_FAILED);
    }
    if (!sbi_owns_memory(vhart->tenant, arguments[0], arguments[1], count * sizeof(*entries))) {
        return sbi_error(SBI_ERR_INVALID_ADDRESS);
    }
    entries = (volatile struct event_info *)arguments[0];
    for (uint64_t i = 0; i < count; i++) {
        uint32_t event = entries[i].event;

        if ((event & ~(uint32_t)EVENT_MASK) != 0) {
            return sbi_error(SBI_ERR_INVALID_PARAM);
        }
        entries[i].supported = is_supported(vhart, event, entries[i].data);
        if (hart_is_wanted() && i + 1 < count) {
            return sbi_repeat();
        }
    }
    return sbi_value(0);
}

static struct sbi_result sbi_pmu(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    switch (function) {
    case SBI_PMU_NUM_COUNTERS:
        return sbi_value(pmu_counter_count(vhart));
    case SBI_PMU_COUNTER_GET_INFO:
        return counter_get_info(vhart, arguments[0]);
    case SBI_PMU_COUNTER_CONFIG_MATCHING:
        return config_matching(vhart, arguments);
    case SBI_PMU_COUNTER_START:
        return counter_start(vhart, arguments);
    case SBI_PMU_COUNTER_STOP:
        return counter_stop(vhart, arguments);
    case SBI_PMU_COUNTER_FW_READ:
    case SBI_PMU_COUNTER_FW_READ_HI:
        return firmware_read(vhart, arguments[0], function == SBI_PMU_COUNTER_FW_READ_HI);
    case SBI_PMU_EVENT_GET_INFO:
        return event_get_info(vhart, arguments);
    default:
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
}

SBI_EXTENSION(SBI_EXT_PMU, sbi_pmu, SBI_GIVES_WAY);

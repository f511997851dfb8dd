/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Performance counters: the calls of SBI section 11, and vharts that take turns with the counters
 * of a hart of variables while each counts only what it does itself.
 */
#include <string.h>

#include "arch/csr.h"
#include "arch/trap_vector.h"
#include "cmocka_tests.h"
#include "core/attended.h"
#include "core/hooks.h"
#include "features/pmu/counters.h"
#include "message_storm.h"
#include "random.h"
#include "sbi/sbi.h"
#include "sbi_table.h"

#define VHARTS 3
#define CYCLE COUNTER_CYCLE
#define INSTRET COUNTER_INSTRET
#define PROGRAMMABLE 4
#define COUNT (2 + PROGRAMMABLE + PMU_FIRMWARE_COUNTERS)
#define ALL ((1ul << COUNT) - 1)
#define SET_TIMER (15ul << 16 | 5)

static struct hart hart;
static struct vhart *const vhart = &vharts[0];
static struct bundle_tenant description;
static struct tenant tenant = {.description = &description, .vharts = vharts};
static bool fast_paths;

/* The hart's counters but cycle and instret, and what it has of them. */
static uint64_t values[32];
static uint64_t events[32];
static uint64_t inhibit_bits;
static uint64_t width_mask;
static uint32_t existing;

static uint64_t *place(unsigned counter)
{
    switch (counter) {
    case CYCLE:
        return csr_file_place("mcycle");
    case INSTRET:
        return csr_file_place("minstret");
    default:
        return &values[counter];
    }
}

void counters_read(struct pmu_counter *counters, uint64_t count)
{
    assert_true(3 + count <= existing);
    for (uint64_t i = 0; i < count; i++) {
        counters[i].value = values[3 + i];
    }
}

void counters_write(const struct pmu_counter *counters, uint64_t count)
{
    assert_true(3 + count <= existing);
    for (uint64_t i = 0; i < count; i++) {
        values[3 + i] = counters[i].value & width_mask;
        events[3 + i] = counters[i].event;
    }
}

uint64_t counter_probe(uint64_t counter)
{
    return counter < existing ? width_mask : 0;
}

uint64_t counter_probe_inhibit(void)
{
    csr_file_write("mcountinhibit", inhibit_bits);
    return inhibit_bits;
}

void trap_use_fast_paths(bool use)
{
    fast_paths = use;
}

static void make_hart(uint64_t inhibit, uint32_t counters, uint64_t mask)
{
    memset(&hart, 0, sizeof(hart));
    memset(vharts, 0, sizeof(vharts[0]) * VHARTS);
    memset(pmus, 0, sizeof(pmus));
    memset(hart_counters, 0, sizeof(hart_counters));
    memset(values, 0, sizeof(values));
    *place(CYCLE) = 0;
    *place(INSTRET) = 0;
    memset(events, 0, sizeof(events));
    csr_file_write("mip", 0);
    csr_file_write("mcountinhibit", 0);
    inhibit_bits = inhibit;
    existing = counters;
    width_mask = mask;
    fast_paths = true;
    counters_probe(&hart);
    tenant.vhart_count = VHARTS;
    for (uint32_t i = 0; i < VHARTS; i++) {
        vharts[i].world.hart = &hart;
        vharts[i].world.vhart_id = i;
        vharts[i].index = i;
        vharts[i].tenant = &tenant;
        vharts[i].state = VHART_STARTED;
    }
}

static int set_up(void **state)
{
    (void)state;
    make_hart(UINT32_MAX & ~2ul, 3 + PROGRAMMABLE, (1ul << 40) - 1);
    return 0;
}

static struct sbi_result call(uint64_t function, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3,
                              uint64_t a4)
{
    const uint64_t arguments[] = {a0, a1, a2, a3, a4, 0};

    return call_extension(SBI_EXT_PMU, vhart, function, arguments);
}

static long configure(uint64_t set, uint64_t flags, uint64_t event, uint64_t data)
{
    struct sbi_result result = call(SBI_PMU_COUNTER_CONFIG_MATCHING, 0, set, flags, event, data);

    return result.error == SBI_SUCCESS ? (long)result.value : result.error;
}

static long start(uint64_t base, uint64_t mask, uint64_t flags, uint64_t value)
{
    return call(SBI_PMU_COUNTER_START, base, mask, flags, value, 0).error;
}

static long stop(uint64_t base, uint64_t mask, uint64_t flags)
{
    return call(SBI_PMU_COUNTER_STOP, base, mask, flags, 0, 0).error;
}

static uint64_t read_firmware(uint64_t counter)
{
    struct sbi_result result = call(SBI_PMU_COUNTER_FW_READ, counter, 0, 0, 0, 0);

    assert_int_equal(result.error, SBI_SUCCESS);
    return result.value;
}

static uint64_t info(uint64_t counter)
{
    struct sbi_result result = call(SBI_PMU_COUNTER_GET_INFO, counter, 0, 0, 0, 0);

    assert_int_equal(result.error, SBI_SUCCESS);
    return result.value;
}

static void test_counters_of_the_hart(void **state)
{
    (void)state;
    assert_int_equal(call(SBI_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0).value, COUNT);
    assert_int_equal(info(CYCLE), 63ul << 12 | 0xc00);
    assert_int_equal(info(1), 1ul << 63 | 63ul << 12);
    assert_int_equal(info(INSTRET), 63ul << 12 | 0xc02);
    assert_int_equal(info(3), 39ul << 12 | 0xc03);
    assert_int_equal(info(6), 39ul << 12 | 0xc06);
    assert_int_equal(info(7) >> 63, 1);
    assert_int_equal(info(COUNT - 1) >> 63, 1);
    assert_int_equal(call(SBI_PMU_COUNTER_GET_INFO, COUNT, 0, 0, 0, 0).error,
                     SBI_ERR_INVALID_PARAM);
    assert_int_equal(csr_file_read("mcountinhibit"), 0x78);
    assert_int_equal(csr_file_read("mcounteren"), COUNTERS_BASIC);
}

/* All of them, none that is programmable, and none that can be stopped. */
static void test_other_harts(void **state)
{
    (void)state;
    make_hart(UINT32_MAX & ~2ul, 32, UINT64_MAX);
    assert_int_equal(call(SBI_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0).value, PMU_MOST_COUNTERS);
    assert_int_equal(info(10), 63ul << 12 | 0xc0a);
    assert_int_equal(info(11) >> 63, 1);
    assert_int_equal(configure(7ul << 10, 0, 2 << 16, 9), 10);
    assert_int_equal(csr_file_read("mcountinhibit"), 0x7f8);

    make_hart(5, 32, UINT64_MAX);
    assert_int_equal(call(SBI_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0).value, 2 + PMU_FIRMWARE_COUNTERS);
    assert_int_equal(configure((1ul << 18) - 1, 0, 2 << 16, 9), SBI_ERR_NOT_SUPPORTED);
    assert_int_equal(csr_file_read("mcountinhibit"), 0);

    make_hart(0x3d, 5, UINT64_MAX); /* hpmcounter5 can be stopped and does not exist */
    assert_int_equal(call(SBI_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0).value, 4 + PMU_FIRMWARE_COUNTERS);

    make_hart(0, 32, UINT64_MAX);
    assert_int_equal(call(SBI_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0).value, PMU_FIRMWARE_COUNTERS);
    assert_int_equal(info(0) >> 63, 1);
    assert_int_equal(configure(0xffff, 0, 1, 0), SBI_ERR_NOT_SUPPORTED);
    assert_int_equal(configure(0xffff, 0, SET_TIMER, 0), 0);
}

/* Section 11: sets of counters; every base and mask that names one too many. */
static void test_sets(void **state)
{
    (void)state;
    for (uint64_t base = 0; base < 70; base++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            long expected = base + bit < COUNT ? SBI_ERR_ALREADY_STOPPED : SBI_ERR_INVALID_PARAM;

            assert_int_equal(stop(base, 1ul << bit, 0), expected);
        }
        assert_int_equal(stop(base, 0, 0), SBI_SUCCESS);
    }
    assert_int_equal(stop(UINT64_MAX, 1, 0), SBI_ERR_INVALID_PARAM);
    assert_int_equal(stop(UINT64_MAX, 2, 0), SBI_ERR_INVALID_PARAM);
    assert_int_equal(stop(1ul << 32, 1, 0), SBI_ERR_INVALID_PARAM);
    assert_int_equal(stop(0, ALL, 0), SBI_ERR_ALREADY_STOPPED);
    assert_int_equal(stop(1, ALL, 0), SBI_ERR_INVALID_PARAM);
    assert_int_equal(start(0, ALL, 0, 0), SBI_ERR_INVALID_PARAM); /* without an event */
    assert_int_equal(start(5, 0, 0, 0), SBI_SUCCESS);
}

static void test_flags(void **state)
{
    (void)state;
    assert_int_equal(configure(ALL, 0xfe, 1, 0), CYCLE);
    for (unsigned bit = 2; bit < 64; bit++) {
        assert_int_equal(start(0, 1, 1ul << bit, 0), SBI_ERR_INVALID_PARAM);
        assert_int_equal(stop(0, 1, 1ul << bit), SBI_ERR_INVALID_PARAM);
        if (bit >= 8) {
            assert_int_equal(configure(ALL, 1ul << bit, 1, 0), SBI_ERR_INVALID_PARAM);
        }
    }
    assert_int_equal(start(0, 1, 2, 0), SBI_ERR_NO_SHMEM);
    assert_int_equal(stop(0, 1, 2), SBI_ERR_NO_SHMEM);
    assert_int_equal(stop(0, 1, 0), SBI_SUCCESS); /* none of that has stopped it */
    for (uint64_t function = 9; function < 100; function++) {
        assert_int_equal(call(function, 0, 0, 0, 0, 0).error, SBI_ERR_NOT_SUPPORTED);
    }
    assert_int_equal(call(SBI_PMU_SNAPSHOT_SET_SHMEM, 0, 0, 0, 0, 0).error, SBI_ERR_NOT_SUPPORTED);
}

static void test_events(void **state)
{
    static const struct {
        uint64_t event;
        uint64_t data;
        long counter;
    } cases[] = {
        {0, 0, SBI_ERR_NOT_SUPPORTED},
        {1, 0, CYCLE},
        {1, 1, SBI_ERR_NOT_SUPPORTED},
        {2, 0, INSTRET},
        {3, 0, SBI_ERR_NOT_SUPPORTED},
        {0x10000, 0, SBI_ERR_NOT_SUPPORTED},
        {0x20000, 0, SBI_ERR_NOT_SUPPORTED},
        {0x20000, (1ul << 48) - 1, 3},
        {0x20000, 1ul << 48, SBI_ERR_NOT_SUPPORTED},
        {0x20001, 1, SBI_ERR_NOT_SUPPORTED},
        {0x30000, (1ul << 56) - 1, 3},
        {0x30000, 1ul << 56, SBI_ERR_NOT_SUPPORTED},
        {0x40000, 1, SBI_ERR_NOT_SUPPORTED},
        {0xf0000, 0, 1},
        {0xf000d, 0, 1},
        {0xf000e, 0, SBI_ERR_NOT_SUPPORTED},
        {0xf0000, 1, SBI_ERR_NOT_SUPPORTED},
        {0xfffff, 1, SBI_ERR_NOT_SUPPORTED},
        {0x100001, 0, SBI_ERR_NOT_SUPPORTED},
        {1ul << 63 | 1, 0, SBI_ERR_NOT_SUPPORTED},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set_up(state);
        assert_int_equal(configure(ALL, 0, cases[i].event, cases[i].data), cases[i].counter);
    }
}

static void test_firmware_counters(void **state)
{
    (void)state;
    assert_int_equal(configure(ALL, 0, SET_TIMER, 0), 1);
    firmware_event(vhart, SBI_PMU_FW_SET_TIMER);
    assert_int_equal(read_firmware(1), 0);
    assert_true(fast_paths && vhart->attended == 0);
    assert_int_equal(start(1, 1, 0, 0), SBI_SUCCESS);
    assert_int_equal(start(1, 1, SBI_PMU_START_SET_INIT_VALUE, 7), SBI_ERR_ALREADY_STARTED);
    assert_false(fast_paths);
    firmware_event(vhart, SBI_PMU_FW_SET_TIMER);
    firmware_event(vhart, SBI_PMU_FW_ILLEGAL_INSN);
    assert_int_equal(read_firmware(1), 1);
    pmu_leave(vhart);
    assert_true(fast_paths);
    pmu_enter(vhart);
    assert_false(fast_paths);
    assert_int_equal(stop(1, 1, 0), SBI_SUCCESS);
    assert_true(fast_paths && vhart->attended == 0);
    firmware_event(vhart, SBI_PMU_FW_SET_TIMER);
    assert_int_equal(read_firmware(1), 1);
    assert_int_equal(start(1, 1, SBI_PMU_START_SET_INIT_VALUE, UINT64_MAX), SBI_SUCCESS);
    firmware_event(vhart, SBI_PMU_FW_SET_TIMER);
    assert_int_equal(read_firmware(1), 0);
    assert_int_equal(call(SBI_PMU_COUNTER_FW_READ_HI, 1, 0, 0, 0, 0).value, 0);
    assert_int_equal(call(SBI_PMU_COUNTER_FW_READ_HI, 2, 0, 0, 0, 0).error, SBI_ERR_INVALID_PARAM);
    assert_int_equal(call(SBI_PMU_COUNTER_FW_READ, 0, 0, 0, 0, 0).error, SBI_ERR_INVALID_PARAM);
    assert_int_equal(call(SBI_PMU_COUNTER_FW_READ, COUNT, 0, 0, 0, 0).error, SBI_ERR_INVALID_PARAM);
    assert_int_equal(call(SBI_PMU_COUNTER_FW_READ, 64, 0, 0, 0, 0).error, SBI_ERR_INVALID_PARAM);
}

static void test_requests_to_others(void **state)
{
    (void)state;
    vharts[2].state = VHART_STOPPED;
    firmware_requests(vhart, 7, SBI_PMU_FW_IPI_SENT, SBI_PMU_FW_IPI_RECEIVED);
    firmware_requests(&vharts[1], 2, SBI_PMU_FW_IPI_SENT, SBI_PMU_FW_IPI_RECEIVED);
    for (unsigned i = 0; i < VHARTS; i++) {
        assert_int_equal(pmus[i].totals[SBI_PMU_FW_IPI_SENT], i == 0);
        assert_int_equal(pmus[i].totals[SBI_PMU_FW_IPI_RECEIVED], i == 1);
    }
}

/* The calls leave alone what is in use, and take it where they are told to. */
static void test_matching(void **state)
{
    (void)state;
    assert_int_equal(configure(ALL, 0, 2 << 16, 5), 3);
    assert_int_equal(configure(ALL, 0, 2 << 16, 6), 4);
    assert_int_equal(configure(1ul << 3, 0, 2 << 16, 7), SBI_ERR_NOT_SUPPORTED);
    assert_int_equal(configure(3ul << 3, SBI_PMU_CONFIG_SKIP_MATCH, 2 << 16, 7), 3);
    assert_int_equal(events[3], 7);
    assert_int_equal(configure(3ul << 2, SBI_PMU_CONFIG_SKIP_MATCH, 2 << 16, 8),
                     SBI_ERR_NOT_SUPPORTED);
    assert_int_equal(start(3, 1, 0, 0), SBI_SUCCESS);
    assert_int_equal(configure(3ul << 3, SBI_PMU_CONFIG_SKIP_MATCH, 2 << 16, 8),
                     SBI_ERR_NOT_SUPPORTED);
    assert_int_equal(stop(0, ALL, SBI_PMU_STOP_RESET), SBI_ERR_ALREADY_STOPPED);
    assert_int_equal(csr_file_read("mcountinhibit") & 8, 8);
    assert_int_equal(csr_file_read("mcounteren"), COUNTERS_BASIC);
    assert_int_equal(vhart->attended, 0);
    assert_int_equal(configure(ALL, 0, 2 << 16, 9), 3);
}

static void test_event_info(void **state)
{
    struct {
        uint32_t event;
        uint32_t output;
        uint64_t data;
    } __attribute__((aligned(16)))
    entries[300] = {{1, 9, 5}, {2, 9, 0}, {3, 9, 0}, {2 << 16, 9, 5}};
    uint64_t address = (uint64_t)entries;

    (void)state;
    description.memory[0] = (struct bundle_range){address, sizeof(entries)};
    assert_int_equal(call(8, address, 0, 4, 0, 0).error, SBI_SUCCESS);
    assert_true(entries[0].output == 1 && entries[1].output == 1);
    assert_true(entries[2].output == 0 && entries[3].output == 1);
    assert_int_equal(call(8, address, 0, 4, 1, 0).error, SBI_ERR_INVALID_PARAM);
    assert_int_equal(call(8, address + 8, 0, 4, 0, 0).error, SBI_ERR_INVALID_PARAM);
    assert_int_equal(call(8, address, 1, 4, 0, 0).error, SBI_ERR_INVALID_ADDRESS);
    assert_int_equal(call(8, address - 16, 0, 4, 0, 0).error, SBI_ERR_INVALID_ADDRESS);
    assert_int_equal(call(8, address + sizeof(entries) - 16, 0, 2, 0, 0).error,
                     SBI_ERR_INVALID_ADDRESS);
    assert_int_equal(call(8, address, 0, 257, 0, 0).error, SBI_ERR_FAILED);
    assert_int_equal(call(8, address, 0, 1ul << 60 | 1, 0, 0).error, SBI_ERR_FAILED);
    entries[2].event = 1 << 20;
    assert_int_equal(call(8, address, 0, 4, 0, 0).error, SBI_ERR_INVALID_PARAM);

    /* Somebody wants the hart: one entry, and the call again. */
    entries[2].event = 3;
    entries[1].output = 9;
    csr_file_write("mip", INTERRUPT_MTI);
    assert_int_equal(call(8, address, 0, 4, 0, 0).error, SBI_REPEAT);
    assert_int_equal(entries[1].output, 9);
    assert_int_equal(call(8, address, 0, 1, 0, 0).error, SBI_SUCCESS);
    message_storm_begin(&hart);
    assert_int_equal(call(8, address, 0, 256, 0, 0).error, SBI_SUCCESS);
    message_storm_end(&hart);
}

/* Other harts send messages all the time: no call is put off. */
static void test_messages_put_nothing_off(void **state)
{
    (void)state;
    message_storm_begin(&hart);
    assert_int_equal(configure(ALL, 6, 2, 0), INSTRET);
    assert_int_equal(configure(ALL, 6, 2 << 16, 5), 3);
    assert_int_equal(call(SBI_PMU_COUNTER_STOP, 0, 1 << 3 | 1 << INSTRET, 1, 0, 0).error,
                     SBI_SUCCESS);
    message_storm_end(&hart);
}

static void test_nothing_is_kept(void **state)
{
    (void)state;
    *place(INSTRET) = 1000;
    assert_int_equal(configure(ALL, 6, 2, 0), INSTRET);
    assert_int_equal(configure(ALL, 6, 2 << 16, 5), 3);
    assert_int_equal(configure(ALL, 6, SET_TIMER, 0), 1);
    assert_int_equal(csr_file_read("mcounteren"), COUNTERS_BASIC | 1 << 3);
    assert_true(hart.attended_vharts == 1 && vhart->schedulable.budget != 0);
    pmu_end(vhart);
    assert_int_equal(*place(INSTRET), 1000);
    assert_int_equal(csr_file_read("mcounteren"), COUNTERS_BASIC);
    assert_int_equal(csr_file_read("mcountinhibit"), 0x78);
    assert_true(hart.attended_vharts == 0 && vhart->schedulable.budget == 0 && fast_paths);
    assert_int_equal(configure(ALL, 0, 2, 0), INSTRET);
    assert_int_equal(pmus[0].counters[INSTRET].value, 0);
}

/* Another feature attends to the vhart as well; each ends without the other. */
static void test_two_reasons_to_attend(void **state)
{
    bool other_reason = false;

    (void)state;
    attended_begin(vhart, &other_reason);
    assert_int_equal(configure(ALL, 0, 1, 0), CYCLE);
    assert_int_equal(hart.attended_vharts, 1);
    attended_end(vhart, &other_reason);
    assert_true(hart.attended_vharts == 1 && vhart->schedulable.budget != 0);
    assert_int_equal(stop(0, 1, SBI_PMU_STOP_RESET), SBI_ERR_ALREADY_STOPPED);
    assert_true(hart.attended_vharts == 0 && vhart->schedulable.budget == 0);
    attended_end(vhart, &other_reason);
    assert_int_equal(hart.attended_vharts, 0);
    vhart->schedulable.budget = 30;
    attended_begin(vhart, &other_reason);
    attended_end(vhart, &other_reason);
    assert_int_equal(vhart->schedulable.budget, 30);
}

/*
 * The model: a counter of the hart has configured, started and value, and gains what passes while
 * it is started and its vhart has the hart. `own` is the count of the hart itself.
 */
struct model {
    bool configured;
    bool started;
    bool used; /* has been started */
    uint64_t value;
};

/* cycle and instret are the hart's own until they are started. */
static bool is_owned(const struct model *model, unsigned counter)
{
    return model->configured && (counter >= 3 || model->used);
}

static struct model models[VHARTS][3 + PROGRAMMABLE];
static uint64_t own[3];
static struct random source = {.state = 0x706d75};

static uint64_t mask_of(unsigned counter)
{
    return counter < 3 ? UINT64_MAX : width_mask;
}

static void pass(unsigned running, uint64_t time)
{
    for (unsigned i = 0; i < 3 + PROGRAMMABLE; i++) {
        struct model *model = &models[running][i];
        bool runs = (csr_file_read("mcountinhibit") >> i & 1) == 0;

        if (i == 1) {
            continue;
        }
        if (runs && (i < 3 || events[i] != 0)) {
            *place(i) = (*place(i) + time) & mask_of(i);
        }
        if (model->started) {
            model->value = (model->value + time) & mask_of(i);
        }
        if (i < 3 && (!is_owned(model, i) || model->started)) {
            own[i] += time;
        }
    }
}

static void compare(unsigned running)
{
    uint64_t enabled = csr_file_read("mcounteren");

    for (unsigned i = 0; i < 3 + PROGRAMMABLE; i++) {
        const struct model *model = &models[running][i];

        if (i == 1) {
            continue;
        }
        assert_int_equal(enabled >> i & 1, i < 3 || model->configured);
        if (is_owned(model, i)) {
            assert_int_equal(*place(i), model->value);
        } else if (i < 3) {
            assert_int_equal(*place(i), own[i]);
        } else {
            assert_int_equal(csr_file_read("mcountinhibit") >> i & 1, 1);
        }
    }
}

static void change(unsigned running, unsigned i)
{
    struct model *model = &models[running][i];
    uint64_t value = random_next(&source);

    if (!model->configured) {
        pmu_configure(&vharts[running], i, 1 + random_below(&source, 9), true, false);
        *model = (struct model){.configured = true};
    } else if (!model->started) {
        bool set = random_below(&source, 2) == 0;

        pmu_start(&vharts[running], 1ul << i, set ? &value : NULL);
        model->started = true;
        model->used = true;
        model->value = set ? value & mask_of(i) : model->value;
    } else {
        bool reset = random_below(&source, 3) == 0;

        pmu_stop(&vharts[running], 1ul << i, reset);
        model->started = false;
        model->configured = !reset;
        model->used = !reset;
    }
}

static void test_each_counts_what_it_does_itself(void **state)
{
    unsigned running = 0;

    (void)state;
    memset(models, 0, sizeof(models));
    memset(own, 0, sizeof(own));
    for (unsigned round = 0; round < 50000; round++) {
        unsigned next = random_below(&source, VHARTS);
        unsigned counter = random_below(&source, 3 + PROGRAMMABLE);

        pass(running, random_below(&source, 1000));
        compare(running);
        if (random_below(&source, 3) == 0) {
            pmu_leave(&vharts[running]);
            pmu_enter(&vharts[next]);
            running = next;
        } else if (random_below(&source, 200) == 0) {
            pmu_end(&vharts[running]);
            memset(models[running], 0, sizeof(models[running]));
        } else if (counter != 1) {
            change(running, counter);
        }
        compare(running);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_counters_of_the_hart, set_up),
        cmocka_unit_test_setup(test_other_harts, set_up),
        cmocka_unit_test_setup(test_sets, set_up),
        cmocka_unit_test_setup(test_flags, set_up),
        cmocka_unit_test_setup(test_events, set_up),
        cmocka_unit_test_setup(test_firmware_counters, set_up),
        cmocka_unit_test_setup(test_requests_to_others, set_up),
        cmocka_unit_test_setup(test_matching, set_up),
        cmocka_unit_test_setup(test_event_info, set_up),
        cmocka_unit_test_setup(test_messages_put_nothing_off, set_up),
        cmocka_unit_test_setup(test_nothing_is_kept, set_up),
        cmocka_unit_test_setup(test_two_reasons_to_attend, set_up),
        cmocka_unit_test_setup(test_each_counts_what_it_does_itself, set_up),
    };

    return cmocka_run_group_tests_name("pmu", tests, NULL, NULL);
}

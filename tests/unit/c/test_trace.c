/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of the trace: what a record looks like, what happens when a ring is full. */
#include <stdlib.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/recorder.h"
#include "core/tenant.h"
#include "features/trace/trace.h"

#define CAPACITY ((COTENANT_TRACE_RING_LEAST - sizeof(struct trace_header)) / 16)

static uint64_t clock_ticks;
static struct hart hart;
static struct tenant tenant;
static struct trace_header *ring;

static struct trace_record *record(uint32_t index)
{
    return (struct trace_record *)(ring + 1) + index;
}

static int begin(void **state)
{
    (void)state;
    clock_ticks = 1000;
    csr_file_write("tp", (uint64_t)&hart);
    hart = (struct hart){.index = 2, .mtime = &clock_ticks};
    vharts[5].world.hart = &hart;
    vharts[5].tenant = &tenant;
    tenant = (struct tenant){.index = 3, .vharts = &vharts[5], .vhart_count = 1};
    /* Of exactly the size that it may have: the sanitizer sees what goes beyond. */
    ring = malloc(COTENANT_TRACE_RING_LEAST);
    trace_init(&hart, ring, COTENANT_TRACE_RING_LEAST, 25600, 256);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(ring);
    recorder = NULL;
    for (unsigned i = 0; i < COTENANT_MAX_HARTS; i++) {
        traces[i] = (struct trace){NULL, NULL, 0};
    }
    return 0;
}

static void test_structures_are_as_documented(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct trace_record), 16);
    assert_int_equal(sizeof(struct trace_header), 48);
}

static void test_header_tells_all_that_a_reader_needs(void **state)
{
    (void)state;
    assert_non_null(recorder);
    assert_memory_equal(ring, "COTTRACE", 8);
    assert_int_equal(ring->version, COTENANT_TRACE_VERSION);
    assert_int_equal(ring->hart, 2);
    assert_int_equal(ring->capacity, CAPACITY);
    assert_int_equal(ring->next, 0);
    assert_int_equal(ring->written, 0);
    assert_int_equal(ring->started, 1000);
    assert_int_equal(ring->measured_cycles, 25600);
    assert_int_equal(ring->measured_ticks, 256);
}

static void test_record_has_time_kind_vhart_and_argument(void **state)
{
    (void)state;
    clock_ticks = 0xfedc123456789abc; /* the upper 16 bits have no room */
    trace_add(&hart, COTENANT_TRACE_SBI, 0x85, 0x1122334455667788);
    assert_int_equal(record(0)->stamp, 0x8502123456789abc);
    assert_int_equal(record(0)->argument, 0x1122334455667788);
    assert_int_equal(ring->next, 1);
    assert_int_equal(ring->written, 1);
}

static void test_full_ring_overwrites_the_oldest(void **state)
{
    uint32_t count = 2 * CAPACITY + 7;

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        clock_ticks++;
        trace_add(&hart, COTENANT_TRACE_SOURCE, 0, i);
        assert_int_equal(ring->next, (i + 1) % CAPACITY);
    }
    assert_int_equal(ring->written, count);
    assert_int_equal(record(6)->argument, count - 1);
    assert_int_equal(record(7)->argument, count - CAPACITY);
    assert_int_equal(record(CAPACITY - 1)->argument, 2 * CAPACITY - 1);
}

static void test_switch_is_recorded_when_it_is_news(void **state)
{
    (void)state;
    vharts[5].index = 5;
    vharts[6].index = 6;
    record_running(&hart, NULL);
    assert_int_equal(ring->written, 0);
    record_running(&hart, &vharts[5]);
    record_running(&hart, &vharts[5]);
    assert_int_equal(ring->written, 1);
    assert_int_equal(record(0)->stamp, 0x0504000000000000 + 1000);
    assert_int_equal(record(0)->argument, COTENANT_TRACE_NO_VHART);
    record_running(&hart, &vharts[6]);
    assert_int_equal(record(1)->stamp >> 56, 6);
    assert_int_equal(record(1)->argument, 5);
    record_running(&hart, NULL);
    assert_int_equal(record(2)->stamp >> 56, COTENANT_TRACE_NO_VHART);
    assert_int_equal(record(2)->argument, 6);
}

static void test_what_happens_inside_a_trap_is_recorded(void **state)
{
    (void)state;
    record_source(&hart, 10);
    assert_int_equal(record(0)->stamp >> 48, 0xff00 | COTENANT_TRACE_SOURCE);
    assert_int_equal(record(0)->argument, 10);
    record_work(&hart);
    assert_int_equal(record(1)->stamp >> 48, 0xff00 | COTENANT_TRACE_CONSOLE);
    record_tenant(&tenant, COTENANT_TRACE_TENANT_CRASHED);
    assert_int_equal(record(2)->stamp >> 48, 0xff00 | COTENANT_TRACE_TENANT);
    assert_int_equal(record(2)->argument, 0x403);
}

static void test_nothing_is_recorded_when_off(void **state)
{
    (void)state;
    recorder = NULL;
    record_running(&hart, &vharts[5]);
    record_source(&hart, 10);
    record_work(&hart);
    record_tenant(&tenant, COTENANT_TRACE_TENANT_LOADING);
    assert_int_equal(ring->written, 0);
    assert_int_equal(ring->next, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structures_are_as_documented),
        cmocka_unit_test_setup_teardown(test_header_tells_all_that_a_reader_needs, begin, end),
        cmocka_unit_test_setup_teardown(test_record_has_time_kind_vhart_and_argument, begin, end),
        cmocka_unit_test_setup_teardown(test_full_ring_overwrites_the_oldest, begin, end),
        cmocka_unit_test_setup_teardown(test_switch_is_recorded_when_it_is_news, begin, end),
        cmocka_unit_test_setup_teardown(test_what_happens_inside_a_trap_is_recorded, begin, end),
        cmocka_unit_test_setup_teardown(test_nothing_is_recorded_when_off, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

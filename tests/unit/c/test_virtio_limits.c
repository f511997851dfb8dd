/* SPDX-License-Identifier: BSD-2-Clause */
/* How often a driver is told of what other drivers do, and that it is told in the end what is so.
 */
#include <string.h>

#include "cmocka_tests.h"
#include "features/virtio_console/virtio_console.h"
#include "virtio_bench.h"

#define NET(number) (&bench_drivers[BENCH_NET + (number)])
#define SOCKET(number) (&bench_drivers[BENCH_SOCKET + (number)])
#define CONSOLE(number) (&bench_drivers[number])
#define EVENT 2
#define PORT_OPEN 6

/* A second, of which the limits are these. */
#define EVENTS 100
#define WAKE_UPS 1000
#define STEP (BENCH_SECOND / 20000)

static int set_up(void **state)
{
    (void)state;
    if (bundle == NULL) {
        bench_limit(EVENTS, WAKE_UPS);
    }
    bench_now += 10ul * BENCH_SECOND; /* nothing of the test before counts any more */
    bench_reset();
    return 0;
}

static void pass(uint64_t ticks)
{
    bench_now += ticks;
    bench_work();
}

static void acknowledge(struct bench_driver *driver)
{
    virtio_write(driver->device, 0x64, 4, 3);
}

static void expect_limit(unsigned count, unsigned limit)
{
    assert_in_range(count, limit - limit / 10, limit + EVENT_LIMIT_BURST);
}

static void test_links(void **state)
{
    (void)state;
    bench_start(NET(0));
    pass(BENCH_SECOND);
    acknowledge(NET(0));
    NET(0)->interrupts = 0;
    for (uint64_t end = bench_now + BENCH_SECOND; bench_now < end; pass(STEP)) {
        bench_start(NET(1));
        bench_work();
        acknowledge(NET(0));
        virtio_write(NET(1)->device, BENCH_STATUS, 4, 0);
        bench_work();
        acknowledge(NET(0));
    }
    expect_limit(NET(0)->interrupts, EVENTS);
    /* What is so in the end is told, once. */
    bench_start(NET(1));
    bench_work();
    acknowledge(NET(0));
    NET(0)->interrupts = 0;
    pass(BENCH_SECOND);
    assert_int_equal(NET(0)->interrupts, 1);
    assert_int_equal(virtio_read(NET(0)->device, 0x60, 4), VIRTIO_INTERRUPT_CONFIGURATION);
    acknowledge(NET(0));
    pass(BENCH_SECOND);
    assert_int_equal(NET(0)->interrupts, 1);
    assert_true(virtio_deadline() == TIME_NEVER);
}

static void test_an_honest_start_is_told_at_once(void **state)
{
    (void)state;
    bench_start(NET(0));
    for (unsigned i = 0; i < EVENT_LIMIT_BURST; i++) {
        acknowledge(NET(0));
        NET(0)->interrupts = 0;
        if (i % 2 == 0) {
            bench_start(NET(1));
        } else {
            bench_stop_tenant(&tenants[1]);
        }
        bench_work();
        assert_int_equal(NET(0)->interrupts, 1);
    }
}

/* A device that is reset has nothing to be told. */
static void test_a_reset_forgets(void **state)
{
    (void)state;
    bench_start(NET(0));
    for (unsigned i = 0; i < 2 * EVENT_LIMIT_BURST; i++) {
        bench_start(NET(1));
        bench_work();
        acknowledge(NET(0));
    }
    virtio_write(NET(0)->device, BENCH_STATUS, 4, 0);
    pass(BENCH_SECOND);
    assert_int_equal(virtio_read(NET(0)->device, 0x60, 4), 0);
    assert_true(virtio_deadline() == TIME_NEVER);
}

/* Changes of port 0 that the driver has been told of; `last` is what the last one was. */
static unsigned changes(struct bench_driver *driver, int *last)
{
    unsigned count = 0;
    uint32_t port;
    uint16_t event;
    uint16_t value;

    while (bench_told(driver, &port, &event, &value)) {
        if (event == PORT_OPEN && port == 0) {
            *last = value;
            count++;
        }
    }
    return count;
}

static void test_ports(void **state)
{
    unsigned count = 0;
    int last = -1;

    (void)state;
    bench_open(CONSOLE(0));
    bench_open(CONSOLE(1));
    (void)changes(CONSOLE(0), &last);
    pass(BENCH_SECOND);
    for (uint64_t end = bench_now + BENCH_SECOND; bench_now < end; pass(STEP)) {
        bench_tell(CONSOLE(1), 0, PORT_OPEN, 0);
        count += changes(CONSOLE(0), &last);
        bench_tell(CONSOLE(1), 0, PORT_OPEN, 1);
        count += changes(CONSOLE(0), &last);
    }
    expect_limit(count, EVENTS);
    bench_tell(CONSOLE(1), 0, PORT_OPEN, 0);
    pass(BENCH_SECOND);
    (void)changes(CONSOLE(0), &last);
    assert_int_equal(last, 0);
}

static void test_socket_resets(void **state)
{
    unsigned count = 0;

    (void)state;
    bench_start(SOCKET(0));
    pass(BENCH_SECOND);
    for (uint64_t end = bench_now + BENCH_SECOND; bench_now < end; pass(STEP)) {
        bench_add(SOCKET(0), EVENT, bench_buffer(SOCKET(0), 1), 4, true);
        if ((uint16_t)(SOCKET(0)->added[EVENT] - SOCKET(0)->taken[EVENT]) == BENCH_QUEUE_SIZE) {
            SOCKET(0)->added[EVENT]--;
        }
        bench_notify(SOCKET(0), EVENT);
        virtio_write(SOCKET(1)->device, BENCH_STATUS, 4, 1);
        virtio_write(SOCKET(1)->device, BENCH_STATUS, 4, 0);
        bench_work();
        count += bench_take(SOCKET(0), EVENT) >= 0;
    }
    expect_limit(count, EVENTS);
    virtio_write(SOCKET(1)->device, BENCH_STATUS, 4, 1);
    virtio_write(SOCKET(1)->device, BENCH_STATUS, 4, 0);
    pass(BENCH_SECOND);
    assert_int_equal(bench_take(SOCKET(0), EVENT), 4);
}

/* Data arrives at once; it is the interrupt for it that waits, and one is for all that has come. */
static void test_wake_ups(void **state)
{
    unsigned frames = 0;

    (void)state;
    bench_start(NET(0));
    bench_start(NET(1));
    pass(BENCH_SECOND);
    acknowledge(NET(1));
    NET(1)->interrupts = 0;
    memset((void *)(uintptr_t)bench_buffer(NET(0), 0), 0xff, 100);
    for (uint64_t end = bench_now + BENCH_SECOND; bench_now < end; pass(STEP)) {
        bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 1), 1526, true);
        bench_notify(NET(1), BENCH_RECEIVE);
        bench_add(NET(0), BENCH_TRANSMIT, bench_buffer(NET(0), 0), 100, false);
        bench_notify(NET(0), BENCH_TRANSMIT);
        frames += bench_take(NET(1), BENCH_RECEIVE) == 100;
        acknowledge(NET(1));
    }
    assert_int_equal(frames, 20000);
    expect_limit(NET(1)->interrupts, WAKE_UPS);
    pass(BENCH_SECOND);
    acknowledge(NET(1));
    pass(BENCH_SECOND);
    assert_false(NET(1)->line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_links, set_up),
        cmocka_unit_test_setup(test_an_honest_start_is_told_at_once, set_up),
        cmocka_unit_test_setup(test_a_reset_forgets, set_up),
        cmocka_unit_test_setup(test_ports, set_up),
        cmocka_unit_test_setup(test_socket_resets, set_up),
        cmocka_unit_test_setup(test_wake_ups, set_up),
    };

    return cmocka_run_group_tests_name("virtio_limits", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A store of one tenant ends, whatever another tenant does to its own queues on another hart: each
 * time the store gives way, the other one does the same again.
 */
#include <string.h>

#include "cmocka_tests.h"
#include "features/virtio_console/virtio_console.h"
#include "virtio_bench.h"

#define NET(number) (&bench_drivers[BENCH_NET + (number)])
#define SOCKET(number) (&bench_drivers[BENCH_SOCKET + (number)])
#define CONSOLE(number) (&bench_drivers[number])
#define FRAME_HEADER 12
#define PACKET_HEADER 44
#define EVENT 2
/* How often a store is made at most: a few times for each buffer of a queue. */
#define MOST_STORES 200

static struct bench_driver *hostile;
static uint32_t junk_length;

static int set_up(void **state)
{
    (void)state;
    bench_reset();
    return 0;
}

static void expect_end(struct bench_driver *driver, uint32_t queue, int line)
{
    for (unsigned stores = 0; stores < MOST_STORES; stores++) {
        if (bench_notify_once(driver, queue)) {
            return;
        }
    }
    fail_msg("line %d: the store does not end", line);
}

#define EXPECT_END(driver, queue) expect_end(driver, queue, __LINE__)

/* The other hart takes back what it was given back, and makes its junk available again. */
static void send_junk(void)
{
    while (bench_take(hostile, BENCH_TRANSMIT) >= 0) {
    }
    while ((uint16_t)(hostile->added[BENCH_TRANSMIT] - hostile->taken[BENCH_TRANSMIT]) <
           BENCH_QUEUE_SIZE) {
        bench_add(hostile, BENCH_TRANSMIT, bench_buffer(hostile, 0), junk_length, false);
    }
}

/* As send_junk(), and notifies: it has the same harm in mind for its own stores. */
static void send_junk_and_notify(void)
{
    send_junk();
    bench_meanwhile(NULL);
    (void)bench_notify_once(hostile, BENCH_TRANSMIT);
    bench_meanwhile(send_junk_and_notify);
}

static void junk_frame(uint8_t to, uint32_t length)
{
    uint8_t *frame = (uint8_t *)(uintptr_t)bench_buffer(hostile, 0);

    memset(frame, 0, BENCH_PAGE);
    frame[FRAME_HEADER] = 2;
    frame[FRAME_HEADER + 5] = to;
    junk_length = length;
}

static void test_frames_that_need_no_buffer(void **state)
{
    static const struct {
        uint8_t to;
        uint32_t length;
    } junk[] = {
        {0, FRAME_HEADER + 60}, /* to the sender itself */
        {1, FRAME_HEADER},      /* too short */
        {1, 2000},              /* too long */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
        for (unsigned notifies = 0; notifies < 2; notifies++) {
            bench_reset();
            bench_unplug_third();
            hostile = NET(0);
            bench_start(NET(0));
            bench_start(NET(1));
            junk_frame(junk[i].to, junk[i].length);
            send_junk();
            for (unsigned buffers = 0; buffers < BENCH_QUEUE_SIZE; buffers++) {
                bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 1), 1526, true);
            }
            bench_meanwhile(notifies != 0 ? send_junk_and_notify : send_junk);
            EXPECT_END(NET(1), BENCH_RECEIVE);
            EXPECT_END(NET(1), BENCH_RECEIVE);
            /* And nothing is wrong with either: what the sender asks for itself is done. */
            bench_meanwhile(NULL);
            send_junk();
            bench_notify(NET(0), BENCH_TRANSMIT);
            assert_int_equal(hostile->added[BENCH_TRANSMIT],
                             NET(0)->device->queues[BENCH_TRANSMIT].next);
            junk_frame(1, FRAME_HEADER + 60);
            send_junk();
            bench_notify(NET(0), BENCH_TRANSMIT);
            assert_int_equal(bench_take(NET(1), BENCH_RECEIVE), FRAME_HEADER + 60);
        }
    }
}

static void test_packets_that_need_no_buffer(void **state)
{
    static const uint32_t queues[] = {BENCH_RECEIVE, EVENT};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        bench_reset();
        hostile = SOCKET(0);
        bench_start(SOCKET(0));
        bench_start(SOCKET(1));
        junk_length = PACKET_HEADER; /* with addresses that are nobody's */
        send_junk();
        bench_add(SOCKET(1), queues[i], bench_buffer(SOCKET(1), 1), 100, true);
        bench_meanwhile(send_junk);
        EXPECT_END(SOCKET(1), queues[i]);
    }
}

/* Which needs no buffers: what is sent into a closed port, or to a doorbell, is at an end. */
static void test_bytes_for_a_closed_port(void **state)
{
    uint32_t bell = BENCH_RECEIVE_OF(BENCH_BELL(1));

    (void)state;
    hostile = CONSOLE(0);
    junk_length = 10;
    bench_open(CONSOLE(0));
    bench_open(CONSOLE(1));
    bench_tell(CONSOLE(1), 0, 6, 0); /* PORT_OPEN */
    send_junk();
    bench_meanwhile(send_junk);
    EXPECT_END(CONSOLE(1), BENCH_RECEIVE);
    EXPECT_END(CONSOLE(1), BENCH_CONTROL_IN);
    bench_add(CONSOLE(1), bell, bench_buffer(CONSOLE(1), 1), 4, true);
    EXPECT_END(CONSOLE(1), bell);
}

/* A device is told of all its ports, however often its store has to give way. */
static void test_a_control_message_while_others_wait(void **state)
{
    (void)state;
    hostile = CONSOLE(0);
    junk_length = 10;
    bench_open(CONSOLE(0));
    bench_open(CONSOLE(1));
    bench_meanwhile(send_junk);
    EXPECT_END(CONSOLE(1), BENCH_CONTROL_OUT);
    EXPECT_END(CONSOLE(1), BENCH_CONTROL_IN);
}

static void give_empty_buffers(void)
{
    while (bench_take(hostile, BENCH_RECEIVE) >= 0) {
    }
    while ((uint16_t)(hostile->added[BENCH_RECEIVE] - hostile->taken[BENCH_RECEIVE]) <
           BENCH_QUEUE_SIZE) {
        bench_add(hostile, BENCH_RECEIVE, bench_buffer(hostile, 1), 0, true);
    }
}

/* Buffers without a byte: a message that is sent into them would never come to its end. */
static void test_empty_buffers(void **state)
{
    struct bench_driver *pairs[][2] = {
        {CONSOLE(0), CONSOLE(1)}, {NET(0), NET(1)}, {SOCKET(0), SOCKET(1)}};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        bench_reset();
        bench_unplug_third();
        hostile = pairs[i][1];
        if (i == 0) {
            bench_open(pairs[i][0]);
            bench_open(hostile);
        } else {
            bench_start(pairs[i][0]);
            bench_start(hostile);
        }
        give_empty_buffers();
        bench_meanwhile(give_empty_buffers);
        bench_add(pairs[i][0], BENCH_TRANSMIT, bench_buffer(pairs[i][0], 0), 500, false);
        EXPECT_END(pairs[i][0], BENCH_TRANSMIT);
    }
}

/* A receiver that is gone and back in the middle of each attempt to give it a frame. */
static void restart(void)
{
    bench_meanwhile(NULL);
    bench_start(hostile);
    for (unsigned buffers = 0; buffers < BENCH_QUEUE_SIZE; buffers++) {
        bench_add(hostile, BENCH_RECEIVE, bench_buffer(hostile, 1), 4000, true);
    }
    bench_meanwhile(restart);
}

static void send_long_frame(struct bench_driver *driver)
{
    uint8_t *frame = (uint8_t *)(uintptr_t)bench_buffer(driver, 0);

    memset(frame, 0, BENCH_PAGE);
    frame[FRAME_HEADER] = 2;
    frame[FRAME_HEADER + 5] = 1;
    bench_add(driver, BENCH_TRANSMIT, bench_buffer(driver, 0), 4000, false);
}

static void test_a_receiver_that_is_never_there_for_long(void **state)
{
    (void)state;
    bench_unplug_third();
    hostile = NET(1);
    bench_start(NET(0));
    restart();
    send_long_frame(NET(0));
    EXPECT_END(NET(0), BENCH_TRANSMIT);
}

/* A third one whose frames always come between. */
static void come_between(void)
{
    bench_meanwhile(NULL);
    send_long_frame(hostile);
    bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 1), 4000, true);
    bench_notify(hostile, BENCH_TRANSMIT);
    bench_meanwhile(come_between);
}

static void test_a_sender_that_always_comes_between(void **state)
{
    (void)state;
    hostile = NET(2);
    for (unsigned i = 0; i < BENCH_TENANTS; i++) {
        bench_start(NET(i));
    }
    bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 1), 4000, true);
    bench_meanwhile(come_between);
    send_long_frame(NET(0));
    EXPECT_END(NET(0), BENCH_TRANSMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_frames_that_need_no_buffer, set_up),
        cmocka_unit_test_setup(test_packets_that_need_no_buffer, set_up),
        cmocka_unit_test_setup(test_bytes_for_a_closed_port, set_up),
        cmocka_unit_test_setup(test_a_control_message_while_others_wait, set_up),
        cmocka_unit_test_setup(test_empty_buffers, set_up),
        cmocka_unit_test_setup(test_a_receiver_that_is_never_there_for_long, set_up),
        cmocka_unit_test_setup(test_a_sender_that_always_comes_between, set_up),
    };

    return cmocka_run_group_tests_name("virtio_bounds", tests, NULL, NULL);
}

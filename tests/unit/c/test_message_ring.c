/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings in the window of a memory channel (abi/message_ring.h), both ends in one thread. */
#include "abi/message_ring.h"
#include "cmocka_tests.h"
#include "random.h"

#define SIZE 4096
#define RING_SIZE ((SIZE - RING_HEADER_SIZE) / 2)

static _Alignas(4096) uint8_t window[SIZE];
static struct ring a;
static struct ring b;

static int set_up(void **state)
{
    (void)state;
    memset(window, 0xa5, sizeof(window)); /* whatever was there */
    ring_open(&a, window, SIZE, 0);
    ring_open(&b, window, SIZE, 1);
    return 0;
}

static void meet(void)
{
    for (unsigned i = 0; i < 3; i++) {
        (void)ring_is_met(&a);
        (void)ring_is_met(&b);
    }
    assert_true(ring_is_met(&a) && ring_is_met(&b));
}

static struct ring_end *end_of(unsigned number)
{
    return (struct ring_end *)(void *)window + number;
}

static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct ring_end), 256);
    assert_ptr_equal(a.out.bytes, window + 512);
    assert_ptr_equal(b.out.bytes, window + 512 + RING_SIZE);
    assert_ptr_equal(b.in.bytes, a.out.bytes);
    assert_ptr_equal(a.in.bytes, b.out.bytes);
    assert_int_equal(ring_longest(&a), RING_SIZE - 8);
}

static void test_ends_meet(void **state)
{
    char byte;

    (void)state;
    assert_int_equal(ring_send(&a, "x", 1), RING_APART);
    assert_int_equal(ring_receive(&a, &byte, 1), RING_APART);
    assert_true(ring_must_ring(&a));
    assert_false(ring_must_ring(&a));
    assert_false(ring_is_met(&b));
    assert_true(ring_must_ring(&b));
    assert_true(ring_is_met(&a));
    assert_true(ring_is_met(&b));
    assert_int_equal(ring_receive(&a, &byte, 1), RING_NOT_NOW);
    assert_int_equal(ring_send(&a, "x", 1), 0);
    assert_int_equal(ring_receive(&b, &byte, 1), 1);
    assert_int_equal(byte, 'x');
}

/* Messages of any length, both ways, many times round. */
static void test_messages_arrive(void **state)
{
    static uint8_t out[RING_SIZE];
    static uint8_t in[RING_SIZE];
    struct random random = {.state = 1};

    (void)state;
    meet();
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t length = random_below(&random, i % 8 == 0 ? RING_SIZE - 7 : 100);
        struct ring *from = i % 2 == 0 ? &a : &b;
        struct ring *to = i % 2 == 0 ? &b : &a;

        for (uint32_t byte = 0; byte < length; byte++) {
            out[byte] = (uint8_t)random_next(&random);
        }
        assert_int_equal(ring_send(from, out, length), 0);
        assert_int_equal(ring_receive(to, in, sizeof(in)), length);
        assert_memory_equal(in, out, length);
    }
    assert_true(a.out.count > 100 * RING_SIZE);
}

static void test_full(void **state)
{
    static uint8_t bytes[RING_SIZE];
    unsigned count = 0;

    (void)state;
    meet();
    assert_int_equal(ring_send(&a, bytes, RING_SIZE - 7), RING_TOO_LONG);
    while (ring_send(&a, bytes, 9) == 0) {
        count++;
    }
    assert_int_equal(count, RING_SIZE / 24);
    assert_int_equal(ring_send(&a, bytes, 9), RING_NOT_NOW);
    assert_int_equal(ring_receive(&b, bytes, 100), 9);
    assert_int_equal(ring_send(&a, bytes, 9), 0);
    assert_int_equal(ring_send(&a, bytes, 9), RING_NOT_NOW);
}

static void test_too_little_room_cuts_a_message(void **state)
{
    char bytes[8] = "--------";

    (void)state;
    meet();
    assert_int_equal(ring_send(&a, "hello", 5), 0);
    assert_int_equal(ring_send(&a, "", 0), 0);
    assert_int_equal(ring_receive(&b, bytes, 2), 5);
    assert_memory_equal(bytes, "he------", 8);
    assert_int_equal(ring_receive(&b, bytes, 8), 0);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_NOT_NOW);
}

static void test_restart(void **state)
{
    char bytes[8];

    (void)state;
    meet();
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(ring_send(&a, "old", 3), 0);
        assert_int_equal(ring_send(&b, "old", 3), 0);
        if (i < 90) {
            assert_int_equal(ring_receive(&a, bytes, 8), 3);
            assert_int_equal(ring_receive(&b, bytes, 8), 3);
        }
    }
    ring_open(&b, window, SIZE, 1);
    assert_int_equal(ring_send(&b, "new", 3), RING_APART);
    assert_int_equal(ring_receive(&a, bytes, 8), RING_APART);
    assert_true(ring_must_ring(&a));
    assert_int_equal(ring_receive(&a, bytes, 8), RING_NOT_NOW);
    assert_int_equal(ring_send(&a, "newer", 5), RING_APART); /* each way is told */
    assert_int_equal(ring_send(&a, "newer", 5), 0);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_APART);
    assert_int_equal(ring_receive(&b, bytes, 8), 5);
    assert_int_equal(ring_send(&b, "new", 3), 0);
    assert_int_equal(ring_receive(&a, bytes, 8), 3);
    assert_memory_equal(bytes, "new", 3);
}

/* Both at once, neither knowing of the other's. */
static void test_both_restart(void **state)
{
    char bytes[8];

    (void)state;
    meet();
    assert_int_equal(ring_send(&a, "old", 3), 0);
    ring_open(&a, window, SIZE, 0);
    ring_open(&b, window, SIZE, 1);
    meet();
    assert_int_equal(ring_receive(&b, bytes, 8), RING_NOT_NOW);
    assert_int_equal(ring_send(&a, "new", 3), 0);
    assert_int_equal(ring_receive(&b, bytes, 8), 3);
}

static void test_last_words_arrive(void **state)
{
    char bytes[8];

    (void)state;
    meet();
    assert_int_equal(ring_send(&a, "bye", 3), 0);
    ring_close(&a);
    assert_true(ring_must_ring(&a));
    assert_int_equal(ring_send(&b, "what?", 5), RING_APART);
    assert_int_equal(ring_receive(&b, bytes, 8), 3);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_APART);
    ring_open(&a, window, SIZE, 0);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_APART);
    meet();
    assert_int_equal(ring_receive(&b, bytes, 8), RING_NOT_NOW);
}

/* It was killed: it says nothing in the window, but it is gone. */
static void test_hang_up(void **state)
{
    char bytes[8];

    (void)state;
    meet();
    assert_int_equal(ring_send(&a, "bye", 3), 0);
    ring_set_hung_up(&b, true);
    assert_int_equal(ring_send(&b, "what?", 5), RING_APART);
    assert_int_equal(ring_receive(&b, bytes, 8), 3);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_APART);
    ring_open(&a, window, SIZE, 0);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_APART);
    assert_false(ring_is_met(&b));
    ring_set_hung_up(&b, false);
    meet();
    assert_int_equal(ring_receive(&b, bytes, 8), RING_NOT_NOW);
}

/* It had not met the present session: what it sent was not for this one. */
static void test_last_words_for_somebody_else_do_not(void **state)
{
    char bytes[8];

    (void)state;
    meet();
    assert_int_equal(ring_send(&a, "old", 3), 0);
    ring_open(&b, window, SIZE, 1);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_APART);
    ring_close(&a);
    assert_int_equal(ring_receive(&b, bytes, 8), RING_APART);
}

static void test_bell_is_rung_once_for_a_wait(void **state)
{
    (void)state;
    meet();
    (void)ring_must_ring(&a);
    assert_int_equal(ring_send(&a, "1", 1), 0);
    assert_false(ring_must_ring(&a));
    for (unsigned i = 0; i < 3; i++) {
        (void)ring_begin_wait(&b, RING_RECEIVING);
        assert_true(ring_begin_wait(&b, RING_RECEIVING));
        assert_false(ring_must_ring(&a)); /* it has done nothing */
        assert_int_equal(ring_send(&a, "2", 1), 0);
        assert_true(ring_must_ring(&a));
        assert_int_equal(ring_send(&a, "3", 1), 0);
        assert_false(ring_must_ring(&a));
    }
    ring_end_wait(&b);
    assert_int_equal(ring_send(&a, "4", 1), 0);
    assert_false(ring_must_ring(&a));
}

/* Nobody is rung for what he does not wait for. */
static void test_bell_for_messages_and_for_room(void **state)
{
    char byte;

    (void)state;
    meet();
    (void)ring_must_ring(&a);
    assert_int_equal(ring_send(&b, "1", 1), 0);
    assert_int_equal(ring_send(&b, "2", 1), 0);
    (void)ring_begin_wait(&b, RING_RECEIVING);
    assert_int_equal(ring_receive(&a, &byte, 1), 1);
    assert_false(ring_must_ring(&a));
    (void)ring_begin_wait(&b, RING_SENDING);
    assert_int_equal(ring_send(&a, "x", 1), 0);
    assert_false(ring_must_ring(&a));
    assert_int_equal(ring_receive(&a, &byte, 1), 1);
    assert_true(ring_must_ring(&a));
}

/* Whatever the other end does between the look that found nothing and the wait. */
static void test_no_wait_after_a_change(void **state)
{
    char bytes[8];

    (void)state;
    meet();
    (void)ring_begin_wait(&a, RING_BOTH);
    (void)ring_begin_wait(&b, RING_BOTH);
    assert_true(ring_begin_wait(&b, RING_BOTH));
    assert_int_equal(ring_send(&a, "1", 1), 0);
    assert_false(ring_begin_wait(&b, RING_BOTH));
    assert_true(ring_begin_wait(&b, RING_BOTH));
    assert_true(ring_begin_wait(&a, RING_BOTH));
    assert_int_equal(ring_receive(&b, bytes, 8), 1);
    assert_false(ring_begin_wait(&a, RING_BOTH));
    ring_close(&b);
    assert_false(ring_begin_wait(&a, RING_BOTH));
    ring_open(&b, window, SIZE, 1);
    assert_false(ring_begin_wait(&a, RING_BOTH));
    (void)ring_is_met(&b);
    assert_false(ring_begin_wait(&a, RING_BOTH));
    assert_true(ring_begin_wait(&a, RING_BOTH));
}

static void test_broken_counters(void **state)
{
    char bytes[8];

    (void)state;
    meet();
    for (unsigned i = 0; i < 8; i++) {
        static const uint64_t wrong[] = {1,         7, RING_SIZE + 8, UINT64_MAX, 1ul << 63,
                                         1ul << 32, 9, RING_SIZE};

        memset(a.in.bytes, 0xff, 8); /* a length */
        atomic_store(&end_of(1)->sent, wrong[i]);
        assert_int_equal(ring_receive(&a, bytes, 8), RING_BROKEN);
        atomic_store(&end_of(1)->sent, 0);
        assert_int_equal(ring_receive(&a, bytes, 8), RING_BROKEN);
        assert_int_equal(ring_send(&a, bytes, 8), RING_BROKEN);
        ring_open(&a, window, SIZE, 0);
        meet();
    }
    atomic_store(&end_of(1)->taken, 1); /* more than was sent */
    assert_int_equal(ring_send(&a, bytes, 8), RING_BROKEN);
}

static void test_broken_lengths(void **state)
{
    char bytes[8];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        static const uint64_t wrong[] = {17, RING_SIZE - 7, 1ul << 32, UINT64_MAX - 7};

        meet();
        memcpy(b.in.bytes, &wrong[i], 8);
        atomic_store(&end_of(0)->sent, 24);
        assert_int_equal(ring_receive(&b, bytes, 8), RING_BROKEN);
        ring_open(&b, window, SIZE, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_layout, set_up),
        cmocka_unit_test_setup(test_ends_meet, set_up),
        cmocka_unit_test_setup(test_messages_arrive, set_up),
        cmocka_unit_test_setup(test_full, set_up),
        cmocka_unit_test_setup(test_too_little_room_cuts_a_message, set_up),
        cmocka_unit_test_setup(test_restart, set_up),
        cmocka_unit_test_setup(test_both_restart, set_up),
        cmocka_unit_test_setup(test_last_words_arrive, set_up),
        cmocka_unit_test_setup(test_hang_up, set_up),
        cmocka_unit_test_setup(test_last_words_for_somebody_else_do_not, set_up),
        cmocka_unit_test_setup(test_bell_is_rung_once_for_a_wait, set_up),
        cmocka_unit_test_setup(test_bell_for_messages_and_for_room, set_up),
        cmocka_unit_test_setup(test_no_wait_after_a_change, set_up),
        cmocka_unit_test_setup(test_broken_counters, set_up),
        cmocka_unit_test_setup(test_broken_lengths, set_up),
    };

    return cmocka_run_group_tests_name("message_ring", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual socket devices: packets of two drivers to each other. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "virtio_bench.h"

#define A (&bench_drivers[BENCH_SOCKET])
#define B (&bench_drivers[BENCH_SOCKET + 1])
#define EVENT 2
#define HEADER 44
#define CID(driver) ((driver) == A ? 3u : 4u)

static int set_up(void **state)
{
    (void)state;
    bench_reset();
    bench_start(A);
    bench_start(B);
    return 0;
}

static uint8_t *buffer(const struct bench_driver *driver, unsigned number)
{
    return (uint8_t *)(uintptr_t)bench_buffer(driver, number);
}

static void put_header(uint8_t *packet, uint64_t source, uint64_t destination, uint32_t length)
{
    memset(packet, 0x77, HEADER);
    memcpy(packet, &source, 8);
    memcpy(packet + 8, &destination, 8);
    memcpy(packet + 24, &length, 4);
}

/* A packet of `length` bytes behind the header, from its driver to the other one. */
static void send(struct bench_driver *driver, uint32_t length)
{
    uint8_t *packet = buffer(driver, 0);

    put_header(packet, CID(driver), CID(driver) ^ 7, length);
    for (uint32_t i = 0; i < length; i++) {
        packet[HEADER + i] = (uint8_t)(i * 5 + 1);
    }
    bench_add(driver, BENCH_TRANSMIT, bench_buffer(driver, 0), HEADER + length, false);
}

/* Part of such a packet has arrived: bytes from `first` on. */
static void expect_part(struct bench_driver *driver, unsigned number, uint32_t first,
                        uint32_t length)
{
    const uint8_t *packet = buffer(driver, number);
    uint8_t header[HEADER];

    put_header(header, CID(driver) ^ 7, CID(driver), length);
    assert_int_equal(bench_take(driver, BENCH_RECEIVE), HEADER + length);
    assert_memory_equal(packet, header, HEADER);
    for (uint32_t i = 0; i < length; i++) {
        assert_int_equal(packet[HEADER + i], (uint8_t)((first + i) * 5 + 1));
    }
}

static void give(struct bench_driver *driver, unsigned number, uint32_t size)
{
    bench_add(driver, BENCH_RECEIVE, bench_buffer(driver, number), size, true);
}

static void test_addresses(void **state)
{
    (void)state;
    assert_int_equal(virtio_read(A->device, 0x008, 4), 19);
    assert_int_equal(virtio_read(A->device, 0x100, 4), 3);
    assert_int_equal(virtio_read(A->device, 0x104, 4), 0);
    assert_int_equal(virtio_read(B->device, 0x100, 4), 4);
}

static void test_packets_arrive(void **state)
{
    (void)state;
    give(B, 1, 1000);
    give(B, 2, 1000);
    send(A, 0);
    bench_notify(A, BENCH_TRANSMIT);
    expect_part(B, 1, 0, 0);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
    send(A, 700);
    bench_notify(A, BENCH_TRANSMIT);
    expect_part(B, 2, 0, 700);
    assert_int_equal(B->interrupts, 1);
    give(A, 1, 1000);
    send(B, 956);
    bench_notify(B, BENCH_TRANSMIT);
    expect_part(A, 1, 0, 956);
}

static void test_long_packets_arrive_in_parts(void **state)
{
    (void)state;
    for (unsigned number = 1; number <= 3; number++) {
        give(B, number, 1000);
    }
    send(A, 2500);
    bench_notify(A, BENCH_TRANSMIT);
    expect_part(B, 1, 0, 956);
    expect_part(B, 2, 956, 956);
    expect_part(B, 3, 1912, 588);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
}

static void test_sender_waits_for_buffers(void **state)
{
    (void)state;
    send(A, 1500);
    bench_notify(A, BENCH_TRANSMIT);
    assert_true(bench_is_asked(B, BENCH_RECEIVE));
    give(B, 1, 1000);
    bench_notify(B, BENCH_RECEIVE);
    expect_part(B, 1, 0, 956);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), -1);
    give(B, 2, 1000);
    bench_notify(B, BENCH_RECEIVE);
    expect_part(B, 2, 956, 544);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
}

static void test_wanted_hart_is_let_go(void **state)
{
    unsigned times = 0;

    (void)state;
    give(B, 1, 3000);
    send(A, 2500);
    csr_file_write("mip", INTERRUPT_MTI);
    while (!bench_notify_once(A, BENCH_TRANSMIT)) {
        assert_true(++times < 100);
    }
    assert_true(times >= 2500 / 256);
    expect_part(B, 1, 0, 2500);
}

static void test_what_is_wrong_is_dropped(void **state)
{
    static const struct {
        uint64_t source;
        uint64_t destination;
        uint32_t length;
        uint32_t size; /* of the buffer */
    } wrong[] = {
        {4, 4, 10, HEADER + 10}, /* not its own address */
        {3, 2, 10, HEADER + 10}, /* not the other's */
        {3, 1ul << 32 | 4, 10, HEADER + 10},
        {3, 4, 0, HEADER - 1},             /* no whole header */
        {3, 4, 11, HEADER + 10},           /* less than it says */
        {3, 4, UINT32_MAX, HEADER + 1000}, /* much less */
    };

    (void)state;
    give(B, 1, 1000);
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        put_header(buffer(A, 0), wrong[i].source, wrong[i].destination, wrong[i].length);
        bench_add(A, BENCH_TRANSMIT, bench_buffer(A, 0), wrong[i].size, false);
        bench_notify(A, BENCH_TRANSMIT);
        if (i < 5) {
            assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
            assert_int_equal(bench_take(B, BENCH_RECEIVE), -1);
        }
    }
    /* Parts of the last one have come; it ends with the sender's buffer. */
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 1000);
    give(B, 2, 1000);
    bench_notify(B, BENCH_RECEIVE);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
    send(A, 20);
    bench_notify(A, BENCH_TRANSMIT);
    expect_part(B, 2, 0, 20);
    /* A receiver's buffer without room for a header: the packet is lost, and nobody waits. */
    give(B, 3, HEADER - 4);
    send(A, 20);
    bench_notify(A, BENCH_TRANSMIT);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
}

static void test_death_is_told(void **state)
{
    uint32_t event = 1;

    (void)state;
    memcpy(buffer(B, 3), &event, 4);
    bench_add(B, EVENT, bench_buffer(B, 3), 4, true);
    give(B, 1, 3000);
    send(A, 2500);
    csr_file_write("mip", INTERRUPT_MTI);
    for (unsigned i = 0; i < 4; i++) {
        assert_false(bench_notify_once(A, BENCH_TRANSMIT)); /* in the middle of a part */
    }
    csr_file_write("mip", 0);
    bench_stop_tenant(&tenants[0]);
    bench_work();
    assert_int_equal(bench_take(B, EVENT), 4);
    memcpy(&event, buffer(B, 3), 4);
    assert_int_equal(event, 0);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), -1);
    send(B, 10); /* to nobody: dropped */
    bench_notify(B, BENCH_TRANSMIT);
    assert_int_equal(bench_take(B, BENCH_TRANSMIT), 0);
    bench_start(A);
    send(A, 10);
    bench_notify(A, BENCH_TRANSMIT);
    expect_part(B, 1, 0, 10);
    /* Without a buffer for it, the event comes later. */
    bench_stop_tenant(&tenants[0]);
    bench_add(B, EVENT, bench_buffer(B, 3), 4, true);
    bench_notify(B, EVENT);
    bench_work();
    assert_int_equal(bench_take(B, EVENT), 4);
}

static void test_receiver_dies_in_the_middle(void **state)
{
    (void)state;
    give(B, 1, 1000);
    send(A, 2500);
    bench_notify(A, BENCH_TRANSMIT);
    bench_stop_tenant(&tenants[1]);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
    bench_start(B);
    give(B, 2, 1000);
    send(A, 30);
    bench_notify(A, BENCH_TRANSMIT);
    expect_part(B, 2, 0, 30);
}

/* What a sender had ready before its receiver came back is for the one that is there now. */
static void test_a_packet_waits_for_a_start(void **state)
{
    (void)state;
    send(A, 30);
    bench_notify(A, BENCH_TRANSMIT);
    send(A, 30);
    bench_notify(A, BENCH_TRANSMIT);
    bench_stop_tenant(&tenants[1]);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), -1);
    bench_start(B);
    assert_true(bench_is_asked(B, BENCH_RECEIVE));
    give(B, 1, 1000);
    bench_notify(B, BENCH_RECEIVE);
    expect_part(B, 1, 0, 30);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_addresses, set_up),
        cmocka_unit_test_setup(test_packets_arrive, set_up),
        cmocka_unit_test_setup(test_long_packets_arrive_in_parts, set_up),
        cmocka_unit_test_setup(test_sender_waits_for_buffers, set_up),
        cmocka_unit_test_setup(test_wanted_hart_is_let_go, set_up),
        cmocka_unit_test_setup(test_what_is_wrong_is_dropped, set_up),
        cmocka_unit_test_setup(test_death_is_told, set_up),
        cmocka_unit_test_setup(test_receiver_dies_in_the_middle, set_up),
        cmocka_unit_test_setup(test_a_packet_waits_for_a_start, set_up),
    };

    return cmocka_run_group_tests_name("virtio_socket", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver takes a queue away, at every step of every transfer and at either end, and then writes
 * into the queue's registers where another tenant's memory is: nothing of that is ever believed,
 * the other end is rid of the transfer, and both work again when the queue is where it should be.
 */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "features/virtio_console/virtio_console.h"
#include "virtio_bench.h"

#define STEPS 24
/* Sections 5.1.6 and 5.10.6: bytes in front of a frame and of a packet. */
#define FRAME_HEADER 12
#define PACKET_HEADER 44
#define LENGTH 1200

/* Registers of a queue (section 4.2.2). */
enum { SELECT = 0x30, SIZE = 0x38, READY = 0x44 };
static const uint32_t places[] = {0x80, 0x90, 0xa0};

/* A page that no driver gives to its device. */
#define VICTIM 15
#define PATTERN 0x5a

struct wire {
    const char *name;
    unsigned from; /* drivers */
    unsigned to;
    void (*open)(struct bench_driver *driver);
    uint32_t header;
};

static const struct wire wires[] = {
    {"console", 0, 1, bench_open, 0},
    {"net", BENCH_NET, BENCH_NET + 1, bench_start, FRAME_HEADER},
    {"socket", BENCH_SOCKET, BENCH_SOCKET + 1, bench_start, PACKET_HEADER},
};

/* What is done to a transfer. */
enum blow {
    STOP_TRANSMIT,
    STOP_RECEIVE,
    MOVE_TRANSMIT, /* and the queue works again, elsewhere in its memory */
    MOVE_RECEIVE,
    RESET_SENDER,
    RESET_RECEIVER,
    BREAK_SENDER,
    BREAK_RECEIVER,
    BLOWS
};

static uint8_t *victim(void)
{
    return (uint8_t *)(uintptr_t)(bench_drivers[BENCH_NET + 2].memory + VICTIM * BENCH_PAGE);
}

static void place(struct bench_driver *driver, uint32_t queue, uint64_t address)
{
    virtio_write(driver->device, SELECT, 4, queue);
    virtio_write(driver->device, SIZE, 4, BENCH_QUEUE_SIZE);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t part = address + i * BENCH_AVAILABLE;

        virtio_write(driver->device, places[i], 4, (uint32_t)part);
        virtio_write(driver->device, places[i] + 4, 4, (uint32_t)(part >> 32));
    }
}

/* The queue is no more, and its registers say that it is in another tenant's memory. */
static void stop(struct bench_driver *driver, uint32_t queue)
{
    virtio_write(driver->device, SELECT, 4, queue);
    virtio_write(driver->device, READY, 4, 0);
    assert_int_equal(virtio_read(driver->device, READY, 4), 0);
    place(driver, queue, (uint64_t)(uintptr_t)victim());
}

/* The queue begins anew where it was, with nothing in it. */
static void begin(struct bench_driver *driver, uint32_t queue)
{
    uint64_t page = driver->memory + (uint64_t)queue * BENCH_PAGE;

    memset((void *)(uintptr_t)page, 0, BENCH_PAGE);
    driver->added[queue] = 0;
    driver->taken[queue] = 0;
    place(driver, queue, page);
    virtio_write(driver->device, READY, 4, 1);
    assert_int_equal(virtio_read(driver->device, READY, 4), 1);
}

/* A queue that is ready in the victim's memory is not to be had: the device gives up. */
static void break_device(struct bench_driver *driver, uint32_t queue)
{
    stop(driver, queue);
    virtio_write(driver->device, READY, 4, 1);
    assert_int_equal(virtio_read(driver->device, READY, 4), 0);
    assert_true((virtio_read(driver->device, BENCH_STATUS, 4) & 0x40) != 0);
    place(driver, queue, (uint64_t)(uintptr_t)victim());
}

static void strike(const struct wire *wire, enum blow blow)
{
    struct bench_driver *from = &bench_drivers[wire->from];
    struct bench_driver *to = &bench_drivers[wire->to];
    bool at_sender = blow == STOP_TRANSMIT || blow == MOVE_TRANSMIT || blow == RESET_SENDER ||
                     blow == BREAK_SENDER;
    struct bench_driver *driver = at_sender ? from : to;
    uint32_t queue = at_sender ? BENCH_TRANSMIT : BENCH_RECEIVE;

    switch (blow) {
    case STOP_TRANSMIT:
    case STOP_RECEIVE:
        stop(driver, queue);
        break;
    case MOVE_TRANSMIT:
    case MOVE_RECEIVE:
        stop(driver, queue);
        begin(driver, queue);
        break;
    case RESET_SENDER:
    case RESET_RECEIVER:
        virtio_write(driver->device, BENCH_STATUS, 4, 0);
        place(driver, queue, (uint64_t)(uintptr_t)victim());
        break;
    default:
        break_device(driver, queue);
        break;
    }
}

/* A message that the other end can take. */
static void add_message(const struct wire *wire, struct bench_driver *from)
{
    uint8_t *message = (uint8_t *)(uintptr_t)bench_buffer(from, 0);
    uint64_t source = 3;
    uint64_t destination = 4;
    uint32_t length = LENGTH - PACKET_HEADER;

    for (unsigned i = 0; i < LENGTH; i++) {
        message[i] = (uint8_t)(i * 3 + 1);
    }
    if (wire->header == FRAME_HEADER) {
        static const uint8_t address[6] = {2, 0, 0, 0, 0, 1};

        memcpy(message + FRAME_HEADER, address, sizeof(address));
    } else if (wire->header == PACKET_HEADER) {
        memcpy(message, &source, 8);
        memcpy(message + 8, &destination, 8);
        memcpy(message + 24, &length, 4);
    }
    bench_add(from, BENCH_TRANSMIT, bench_buffer(from, 0), LENGTH, false);
}

static void add_buffer(struct bench_driver *to)
{
    bench_add(to, BENCH_RECEIVE, bench_buffer(to, 1), BENCH_PAGE, true);
}

static void expect_untouched(const struct wire *wire, enum blow blow, unsigned steps)
{
    for (unsigned i = 0; i < BENCH_PAGE; i++) {
        if (victim()[i] != PATTERN) {
            fail_msg("%s: blow %u after %u steps: byte %u of another tenant is %x", wire->name,
                     blow, steps, i, victim()[i]);
        }
    }
}

/* Both work as if nothing had been. */
static void expect_recovery(const struct wire *wire)
{
    struct bench_driver *from = &bench_drivers[wire->from];
    struct bench_driver *to = &bench_drivers[wire->to];

    wire->open(from);
    wire->open(to);
    add_buffer(to);
    bench_notify(to, BENCH_RECEIVE);
    add_message(wire, from);
    bench_notify(from, BENCH_TRANSMIT);
    assert_int_equal(bench_take(from, BENCH_TRANSMIT), 0);
    assert_int_equal(bench_take(to, BENCH_RECEIVE), LENGTH);
    assert_memory_equal((void *)(uintptr_t)(bench_buffer(to, 1) + wire->header),
                        (void *)(uintptr_t)(bench_buffer(from, 0) + wire->header),
                        LENGTH - wire->header);
}

/* The transfer is struck after so many steps; the receiver has a buffer for it, or has none. */
static void interrupt_transfer(const struct wire *wire, enum blow blow, unsigned steps, bool buffer)
{
    struct bench_driver *from = &bench_drivers[wire->from];
    struct bench_driver *to = &bench_drivers[wire->to];

    bench_reset();
    bench_unplug_third();
    memset(victim(), PATTERN, BENCH_PAGE);
    wire->open(from);
    wire->open(to);
    if (buffer) {
        add_buffer(to);
    }
    bench_notify(to, BENCH_RECEIVE);
    add_message(wire, from);
    csr_file_write("mip", INTERRUPT_MTI);
    for (unsigned i = 0; i < steps && !bench_notify_once(from, BENCH_TRANSMIT); i++) {
    }
    strike(wire, blow);
    csr_file_write("mip", 0);
    /* Whatever either of them does now: */
    add_buffer(to);
    bench_notify(to, BENCH_RECEIVE);
    expect_untouched(wire, blow, steps);
    bench_notify(from, BENCH_TRANSMIT);
    expect_untouched(wire, blow, steps);
    bench_stop_tenant(to->device->tenant);
    expect_untouched(wire, blow, steps);
    bench_stop_tenant(from->device->tenant);
    expect_untouched(wire, blow, steps);
    expect_recovery(wire);
}

static int set_up(void **state)
{
    (void)state;
    bench_reset();
    return 0;
}

static void test_a_queue_goes_at_any_moment(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
        for (enum blow blow = 0; blow < BLOWS; blow++) {
            for (unsigned steps = 0; steps < STEPS; steps++) {
                interrupt_transfer(&wires[i], blow, steps, true);
                interrupt_transfer(&wires[i], blow, steps, false);
            }
        }
    }
}

/* Only what was made available in the new place is sent, from its first entry on. */
static void test_a_queue_begins_anew(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
        const struct wire *wire = &wires[i];
        struct bench_driver *from = &bench_drivers[wire->from];
        struct bench_driver *to = &bench_drivers[wire->to];

        bench_reset();
        bench_unplug_third();
        expect_recovery(wire);
        stop(from, BENCH_TRANSMIT);
        begin(from, BENCH_TRANSMIT);
        stop(to, BENCH_RECEIVE);
        begin(to, BENCH_RECEIVE);
        add_buffer(to);
        bench_notify(to, BENCH_RECEIVE);
        add_message(wire, from);
        bench_notify(from, BENCH_TRANSMIT);
        assert_int_equal(bench_take(from, BENCH_TRANSMIT), 0);
        assert_int_equal(bench_take(to, BENCH_RECEIVE), LENGTH);
    }
}

/* The ring functions themselves: without a ring, none of them goes anywhere. */
static void test_nothing_is_done_without_a_ring(void **state)
{
    struct virtqueue queue = {0};
    uint8_t byte = 0;

    (void)state;
    assert_false(virtqueue_finish(&queue));
    virtqueue_rewind(&queue);
    virtqueue_ask(&queue, true);
    virtqueue_ask(&queue, false);
    assert_false(virtqueue_has_chain(&queue));
    assert_int_equal(virtqueue_available(&queue), 0);
    assert_int_equal(virtqueue_read(&queue, &byte, 1), 0);
    assert_int_equal(virtqueue_write(&queue, &byte, 1), 0);
    assert_int_equal(virtqueue_look(&queue, &tenants[0], true), VIRTQUEUE_EMPTY);
    /* What the driver says is not where the queue is, before it is checked and after. */
    bench_start(&bench_drivers[BENCH_NET]);
    queue = bench_drivers[BENCH_NET].device->queues[BENCH_TRANSMIT];
    memset(victim(), PATTERN, BENCH_PAGE);
    queue.registers.used = (uint64_t)(uintptr_t)victim();
    queue.registers.available = (uint64_t)(uintptr_t)victim();
    queue.registers.descriptors = (uint64_t)(uintptr_t)victim();
    bench_add(&bench_drivers[BENCH_NET], BENCH_TRANSMIT, bench_buffer(&bench_drivers[BENCH_NET], 0),
              10, false);
    assert_int_equal(virtqueue_look(&queue, &tenants[0], false), VIRTQUEUE_BYTES);
    (void)virtqueue_finish(&queue);
    assert_int_equal(bench_take(&bench_drivers[BENCH_NET], BENCH_TRANSMIT), 0);
    assert_false(virtqueue_finish(&queue)); /* once for each chain */
    assert_int_equal(bench_take(&bench_drivers[BENCH_NET], BENCH_TRANSMIT), -1);
    expect_untouched(&wires[0], 0, 0);
}

/* 8 bytes at once are no access to a register (section 4.2.2.2). */
static void test_wide_accesses(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BENCH_DRIVERS; i++) {
        for (uint32_t offset = 0; offset < 0x200; offset++) {
            assert_int_equal(virtio_read(bench_drivers[i].device, offset, 8), 0);
            assert_true(virtio_write(bench_drivers[i].device, offset, 8, 1));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_queue_goes_at_any_moment, set_up),
        cmocka_unit_test_setup(test_a_queue_begins_anew, set_up),
        cmocka_unit_test_setup(test_nothing_is_done_without_a_ring, set_up),
        cmocka_unit_test_setup(test_wide_accesses, set_up),
    };

    return cmocka_run_group_tests_name("virtio_stopped", tests, NULL, NULL);
}

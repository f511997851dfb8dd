/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual devices on virtio: the transport, the rings, and the console that streams end in. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "features/virtio_console/virtio_console.h"
#include "virtio_bench.h"

#define NEEDS_RESET 0x40
#define A (&bench_drivers[0])
#define B (&bench_drivers[1])

static int set_up(void **state)
{
    (void)state;
    bench_reset();
    return 0;
}

/* The end of the tenant's memory, of which a console's driver has the first part. */
static uint64_t end_of(const struct bench_driver *driver)
{
    return driver->memory + BENCH_PAGES * BENCH_PAGE;
}

static uint32_t status(const struct bench_driver *driver)
{
    return virtio_read(driver->device, BENCH_STATUS, 4);
}

static void write16(uint64_t address, uint16_t value)
{
    memcpy((void *)(uintptr_t)address, &value, 2);
}

static void send(struct bench_driver *driver, const char *text, uint32_t length)
{
    uint64_t buffer = bench_buffer(driver, 0);

    memcpy((void *)(uintptr_t)buffer, text, length);
    bench_add(driver, BENCH_TRANSMIT, buffer, length, false);
}

static const char *received(const struct bench_driver *driver, unsigned buffer)
{
    return (const char *)(uintptr_t)bench_buffer(driver, buffer);
}

/* The last PORT_OPEN of port 0 that the device sent: 0, 1, or -1. */
static int last_open(struct bench_driver *driver)
{
    uint32_t port;
    uint16_t event;
    uint16_t value;
    int last = -1;

    bench_work();
    while (bench_told(driver, &port, &event, &value)) {
        if (event == 6 && port == 0) {
            last = value;
        }
    }
    return last;
}

static void test_identity(void **state)
{
    (void)state;
    assert_int_equal(virtio_read(A->device, 0x000, 4), 0x74726976);
    assert_int_equal(virtio_read(A->device, 0x004, 4), 2);
    assert_int_equal(virtio_read(A->device, 0x008, 4), 3);
    assert_int_equal(virtio_read(A->device, 0x104, 4), 4); /* ports */
    assert_int_equal(virtio_read(A->device, 0x0b0, 4), 0xffffffff);
    assert_int_equal(virtio_read(A->device, 0x000, 1), 0);
    assert_int_equal(virtio_read(A->device, 0xffc, 4), 0);
}

static void test_features_must_be_those_offered(void **state)
{
    (void)state;
    virtio_write(A->device, BENCH_STATUS, 4, 3);
    virtio_write(A->device, BENCH_STATUS, 4, 11); /* without VERSION_1 */
    assert_int_equal(status(A), 3);
    virtio_write(A->device, 0x24, 4, 1);
    virtio_write(A->device, 0x20, 4, 1);
    virtio_write(A->device, 0x24, 4, 0);
    virtio_write(A->device, 0x20, 4, 1); /* VIRTIO_CONSOLE_F_SIZE is not offered */
    virtio_write(A->device, BENCH_STATUS, 4, 11);
    assert_int_equal(status(A), 3);
    virtio_write(A->device, 0x20, 4, 0);
    virtio_write(A->device, BENCH_STATUS, 4, 11);
    assert_int_equal(status(A), 11);
}

static void test_ports_are_announced(void **state)
{
    static const uint16_t expected[][2] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {0, 7}, {0, 6},
                                           {1, 7}, {1, 6}, {2, 7}, {2, 6}, {3, 7}, {3, 6}};
    uint32_t port;
    uint16_t event;
    uint16_t value;

    (void)state;
    bench_open(A);
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(bench_told(A, &port, &event, &value));
        assert_int_equal(port, expected[i][0]);
        assert_int_equal(event, expected[i][1]);
        assert_int_equal(value, event == 7 || (event == 6 && port == 2)); /* the monitor is there */
    }
    assert_false(bench_told(A, &port, &event, &value));
    bench_open(B);
    assert_int_equal(last_open(A), 1);
    assert_int_equal(last_open(B), 1);
}

static void open_both(void)
{
    bench_open(A);
    bench_open(B);
    (void)last_open(A);
    (void)last_open(B);
}

static void test_message_arrives(void **state)
{
    (void)state;
    open_both();
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), 100, true);
    virtio_write(B->device, 0x64, 4, 3);
    B->interrupts = 0;
    send(A, "hello", 5);
    bench_notify(A, BENCH_TRANSMIT);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 5);
    assert_memory_equal(received(B, 1), "hello", 5);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
    assert_int_equal(B->interrupts, 1);
    virtio_write(B->device, 0x64, 4, 1);
    assert_false(B->line);
}

static void test_sender_waits_for_room(void **state)
{
    (void)state;
    open_both();
    assert_false(bench_is_asked(B, BENCH_RECEIVE));
    send(A, "hello", 5);
    bench_notify(A, BENCH_TRANSMIT);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), -1);
    assert_true(bench_is_asked(B, BENCH_RECEIVE));
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), 3, true);
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 2), 3, true);
    bench_notify(B, BENCH_RECEIVE);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 3);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 2);
    assert_memory_equal(received(B, 2), "lo", 2);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
    assert_false(bench_is_asked(B, BENCH_RECEIVE));
}

/* A long message in pieces while the hart is wanted: each time some of it, and nothing twice. */
/* All of it, while no one waits for the hart. */
static void test_long_message_is_one_store(void **state)
{
    struct bench_driver *one = &bench_drivers[0];
    struct bench_driver *other = &bench_drivers[1];

    (void)state;
    bench_open(one);
    bench_open(other);
    bench_add(other, BENCH_RECEIVE, bench_buffer(other, 0), 2 * BENCH_PAGE, true);
    bench_add(other, BENCH_RECEIVE, bench_buffer(other, 2), 2 * BENCH_PAGE, true);
    bench_add(one, BENCH_TRANSMIT, bench_buffer(one, 0), 4 * BENCH_PAGE, false);
    assert_true(bench_notify_once(one, BENCH_TRANSMIT));
    assert_int_equal(bench_take(other, BENCH_RECEIVE), 2 * BENCH_PAGE);
    assert_int_equal(bench_take(other, BENCH_RECEIVE), 2 * BENCH_PAGE);
    assert_int_equal(bench_take(one, BENCH_TRANSMIT), 0);
}

static void test_wanted_hart_is_let_go(void **state)
{
    static char text[3000];
    unsigned times = 0;

    (void)state;
    for (unsigned i = 0; i < sizeof(text); i++) {
        text[i] = (char)(i * 7);
    }
    open_both();
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), BENCH_PAGE, true);
    send(A, text, sizeof(text));
    csr_file_write("mip", INTERRUPT_MTI);
    while (!bench_notify_once(A, BENCH_TRANSMIT)) {
        times++;
        assert_true(times < 100);
    }
    assert_true(times >= sizeof(text) / 256);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), sizeof(text));
    assert_memory_equal(received(B, 1), text, sizeof(text));
}

static void test_closing_hangs_up_after_what_was_sent(void **state)
{
    (void)state;
    open_both();
    send(A, "last words", 10);
    bench_notify(A, BENCH_TRANSMIT);
    bench_tell(A, 0, 6, 0);
    assert_int_equal(last_open(B), -1);
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), 100, true);
    bench_notify(B, BENCH_RECEIVE);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 10);
    assert_int_equal(last_open(B), 0);
}

static void test_death_hangs_up_and_restart_begins_afresh(void **state)
{
    (void)state;
    open_both();
    send(A, "for the old one", 15);
    bench_notify(A, BENCH_TRANSMIT);
    bench_stop_tenant(&tenants[1]);
    assert_int_equal(last_open(A), 0);
    bench_open(B);
    assert_int_equal(last_open(A), 1);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0); /* forgotten, and given back */
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), 100, true);
    bench_notify(B, BENCH_RECEIVE);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), -1);
    send(A, "new", 3);
    bench_notify(A, BENCH_TRANSMIT);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 3);
    assert_memory_equal(received(B, 1), "new", 3);
}

static void test_half_a_message_of_the_dead_is_not_delivered(void **state)
{
    static char text[1000];

    (void)state;
    open_both();
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), BENCH_PAGE, true);
    send(A, text, sizeof(text));
    csr_file_write("mip", INTERRUPT_MTI);
    assert_false(bench_notify_once(A, BENCH_TRANSMIT));
    csr_file_write("mip", 0);
    bench_stop_tenant(&tenants[0]);
    bench_open(A);
    send(A, "whole", 5);
    bench_notify(A, BENCH_TRANSMIT);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 5);
    assert_memory_equal(received(B, 1), "whole", 5);
}

static void test_nobody_listens(void **state)
{
    (void)state;
    open_both();
    bench_tell(B, 0, 6, 0);
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), 100, true);
    send(A, "hello", 5);
    bench_notify(A, BENCH_TRANSMIT);
    assert_int_equal(bench_take(A, BENCH_TRANSMIT), 0);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), -1);
}

/* After each of these A's device wants a reset, B's works on, and A's works again after the reset.
 */
static void expect_broken(int line)
{
    if (status(A) != (15 | NEEDS_RESET) || status(B) != 15) {
        fail_msg("line %d: status %x and %x", line, status(A), status(B));
    }
    assert_int_equal(last_open(B), 0);
    open_both();
    bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), 100, true);
    send(A, "good", 4);
    bench_notify(A, BENCH_TRANSMIT);
    assert_int_equal(bench_take(B, BENCH_RECEIVE), 4);
}

#define BREAKS(change)                                                                             \
    do {                                                                                           \
        bench_reset();                                                                             \
        open_both();                                                                               \
        bench_add(B, BENCH_RECEIVE, bench_buffer(B, 1), BENCH_PAGE, true);                         \
        send(A, "hello", 5);                                                                       \
        change;                                                                                    \
        bench_notify(A, BENCH_TRANSMIT);                                                           \
        assert_int_equal(bench_take(B, BENCH_RECEIVE), -1);                                        \
        expect_broken(__LINE__);                                                                   \
    } while (0)

static void test_malicious_rings_hurt_their_own_end(void **state)
{
    uint64_t page;

    (void)state;
    bench_reset();
    page = A->memory + BENCH_TRANSMIT * BENCH_PAGE;
    BREAKS(*(uint64_t *)(uintptr_t)page = B->memory); /* another tenant's memory */
    BREAKS(*(uint64_t *)(uintptr_t)page = end_of(A) - 4);
    BREAKS(*(uint64_t *)(uintptr_t)page = UINT64_MAX);
    BREAKS(*(uint32_t *)(uintptr_t)(page + 8) = UINT32_MAX);
    BREAKS(write16(page + 12, 2));                        /* to be written */
    BREAKS(write16(page + 12, 4));                        /* indirect */
    BREAKS(write16(page + 12, 1); write16(page + 14, 8)); /* next is no descriptor */
    BREAKS(write16(page + BENCH_AVAILABLE + 4, 8));       /* head is none */
    BREAKS(write16(page + BENCH_AVAILABLE + 2, 9));       /* more than there can be */
    BREAKS(*(uint32_t *)(uintptr_t)(page + 8) = 0; write16(page + 12, 1); /* a circle */
           write16(page + 14, 0));
}

static void test_queues_lie_in_the_tenants_memory(void **state)
{
    static const uint32_t parts[] = {0x80, 0x90, 0xa0};

    (void)state;
    for (unsigned part = 0; part < 3; part++) {
        for (unsigned place = 0; place < 3; place++) {
            const uint64_t places[] = {B->memory, end_of(A) - 16, A->memory + 1};

            bench_reset();
            bench_start(A);
            virtio_write(A->device, 0x30, 4, BENCH_TRANSMIT);
            virtio_write(A->device, 0x44, 4, 0);
            virtio_write(A->device, 0x38, 4, 8);
            for (unsigned i = 0; i < 3; i++) {
                uint64_t address = i == part ? places[place] : A->memory + i * BENCH_PAGE;

                virtio_write(A->device, parts[i], 4, (uint32_t)address);
                virtio_write(A->device, parts[i] + 4, 4, (uint32_t)(address >> 32));
            }
            virtio_write(A->device, 0x44, 4, 1);
            assert_int_equal(virtio_read(A->device, 0x44, 4), 0);
            assert_int_equal(status(A), 15 | NEEDS_RESET);
        }
    }
    /* Without a size it is none. */
    bench_reset();
    virtio_write(A->device, 0x30, 4, 0);
    virtio_write(A->device, 0x38, 4, 3);
    virtio_write(A->device, 0x44, 4, 1);
    assert_int_equal(virtio_read(A->device, 0x44, 4), 0);
    virtio_write(A->device, 0x30, 4, 1000);
    virtio_write(A->device, 0x44, 4, 1);
    assert_int_equal(virtio_read(A->device, 0x34, 4), 0);
}

#define NET(number) (&bench_drivers[BENCH_NET + (number)])
#define FRAME_HEADER 12
#define FRAME_SIZE 100

static void open_network(void)
{
    for (unsigned i = 0; i < BENCH_TENANTS; i++) {
        bench_start(NET(i));
        bench_add(NET(i), BENCH_RECEIVE, bench_buffer(NET(i), 1), 1526, true);
        bench_notify(NET(i), BENCH_RECEIVE);
    }
}

/* A frame to the address whose last byte is `to`, or to all; in a header that lies. */
static void send_frame(struct bench_driver *driver, int to, uint32_t length)
{
    uint8_t *frame = (uint8_t *)(uintptr_t)bench_buffer(driver, 0);

    memset(frame, 0xff, FRAME_HEADER);
    for (unsigned i = 0; i < length; i++) {
        frame[FRAME_HEADER + i] = (uint8_t)i;
    }
    memset(frame + FRAME_HEADER, to < 0 ? 0xff : 0, 6);
    if (to >= 0) {
        frame[FRAME_HEADER] = 2;
        frame[FRAME_HEADER + 5] = (uint8_t)to;
    }
    bench_add(driver, BENCH_TRANSMIT, bench_buffer(driver, 0), FRAME_HEADER + length, false);
    bench_notify(driver, BENCH_TRANSMIT);
    assert_int_equal(bench_take(driver, BENCH_TRANSMIT), 0);
}

static void expect_frame(struct bench_driver *driver, const struct bench_driver *from)
{
    static const uint8_t header[FRAME_HEADER] = {[10] = 1};

    assert_int_equal(bench_take(driver, BENCH_RECEIVE), FRAME_HEADER + FRAME_SIZE);
    assert_memory_equal(received(driver, 1), header, FRAME_HEADER);
    assert_memory_equal(received(driver, 1) + FRAME_HEADER, received(from, 0) + FRAME_HEADER,
                        FRAME_SIZE);
}

static void test_frames_find_their_receivers(void **state)
{
    (void)state;
    open_network();
    send_frame(NET(0), 2, FRAME_SIZE);
    assert_int_equal(bench_take(NET(1), BENCH_RECEIVE), -1);
    expect_frame(NET(2), NET(0));
    send_frame(NET(0), 0, FRAME_SIZE); /* to itself */
    assert_int_equal(bench_take(NET(0), BENCH_RECEIVE), -1);
    send_frame(NET(2), -1, FRAME_SIZE);
    expect_frame(NET(0), NET(2));
    expect_frame(NET(1), NET(2));
    /* Nobody has a buffer any more: dropped, not kept. */
    send_frame(NET(0), -1, FRAME_SIZE);
    send_frame(NET(0), 1, 5); /* too short for an address */
    bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 1), 1526, true);
    send_frame(NET(0), 1, 2000); /* longer than the buffer */
    assert_int_equal(bench_take(NET(1), BENCH_RECEIVE), -1);
    send_frame(NET(0), 1, FRAME_SIZE);
    expect_frame(NET(1), NET(0));
}

/* A frame that waits for a buffer is not forgotten when its receiver starts anew. */
static void test_waiting_frame_survives_its_receiver(void **state)
{
    (void)state;
    bench_unplug_third();
    bench_start(NET(0));
    bench_start(NET(1));
    memset((void *)(uintptr_t)bench_buffer(NET(0), 0), 0, FRAME_HEADER + FRAME_SIZE);
    bench_add(NET(0), BENCH_TRANSMIT, bench_buffer(NET(0), 0), FRAME_HEADER + FRAME_SIZE, false);
    bench_notify(NET(0), BENCH_TRANSMIT);
    assert_int_equal(bench_take(NET(0), BENCH_TRANSMIT), -1);
    bench_start(NET(1));
    bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 1), 1526, true);
    assert_true(bench_is_asked(NET(1), BENCH_RECEIVE));
    bench_notify(NET(1), BENCH_RECEIVE);
    expect_frame(NET(1), NET(0));
    assert_int_equal(bench_take(NET(0), BENCH_TRANSMIT), 0);
    assert_false(bench_is_asked(NET(1), BENCH_RECEIVE));
}

/* Two harts that send to the same receiver, and give way to each other after every step. */
static void test_two_senders_get_on(void **state)
{
    bool done[2] = {false, false};

    (void)state;
    open_network();
    bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 2), 1526, true);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *frame = (uint8_t *)(uintptr_t)bench_buffer(NET(2 * i), 0);

        memset(frame, 0, FRAME_HEADER + FRAME_SIZE);
        frame[FRAME_HEADER] = 2;
        frame[FRAME_HEADER + 5] = 1;
        bench_add(NET(2 * i), BENCH_TRANSMIT, bench_buffer(NET(2 * i), 0),
                  FRAME_HEADER + FRAME_SIZE, false);
    }
    bench_give_way(true);
    for (unsigned turn = 0; turn < 20; turn++) {
        for (unsigned i = 0; i < 2; i++) {
            done[i] = done[i] || bench_notify_once(NET(2 * i), BENCH_TRANSMIT);
        }
    }
    assert_true(done[0] && done[1]);
    assert_int_equal(bench_take(NET(1), BENCH_RECEIVE), FRAME_HEADER + FRAME_SIZE);
    assert_int_equal(bench_take(NET(1), BENCH_RECEIVE), FRAME_HEADER + FRAME_SIZE);
}

static void test_interrupted_frame_gives_way(void **state)
{
    (void)state;
    open_network();
    csr_file_write("mip", INTERRUPT_MTI);
    memset((void *)(uintptr_t)bench_buffer(NET(0), 0), 0, 1500);
    ((uint8_t *)(uintptr_t)bench_buffer(NET(0), 0))[FRAME_HEADER] = 2;
    ((uint8_t *)(uintptr_t)bench_buffer(NET(0), 0))[FRAME_HEADER + 5] = 1;
    bench_add(NET(0), BENCH_TRANSMIT, bench_buffer(NET(0), 0), 1500, false);
    assert_false(bench_notify_once(NET(0), BENCH_TRANSMIT)); /* looked whose it is */
    assert_false(bench_notify_once(NET(0), BENCH_TRANSMIT)); /* opened a buffer */
    assert_false(bench_notify_once(NET(0), BENCH_TRANSMIT)); /* a first piece */
    /* Another one sends to the same receiver meanwhile, and does not wait. */
    send_frame(NET(2), 1, FRAME_SIZE);
    expect_frame(NET(1), NET(2));
    bench_add(NET(1), BENCH_RECEIVE, bench_buffer(NET(1), 2), 1526, true);
    bench_notify(NET(0), BENCH_TRANSMIT);
    assert_int_equal(bench_take(NET(1), BENCH_RECEIVE), 1500);
    assert_memory_equal(received(NET(1), 2) + FRAME_HEADER, received(NET(0), 0) + FRAME_HEADER,
                        1488);
}

static void test_links_and_addresses(void **state)
{
    (void)state;
    bench_start(NET(0));
    assert_int_equal(virtio_read(NET(0)->device, 0x100, 4), 2);
    assert_int_equal(virtio_read(NET(2)->device, 0x105, 1), 2);
    assert_int_equal(virtio_read(NET(0)->device, 0x106, 2), 0); /* alone */
    bench_start(NET(1));
    assert_int_equal(virtio_read(NET(0)->device, 0x106, 2), 1);
    bench_work();
    assert_int_equal(virtio_read(NET(0)->device, 0x60, 4), 2);
    virtio_write(NET(0)->device, 0x64, 4, 2);
    bench_stop_tenant(&tenants[1]);
    assert_int_equal(virtio_read(NET(0)->device, 0x106, 2), 0);
    bench_work();
    assert_int_equal(virtio_read(NET(0)->device, 0x60, 4), 2);
}

/* What has come to the doorbell of a driver: so many bytes. */
static unsigned rings(struct bench_driver *driver)
{
    uint32_t queue = BENCH_RECEIVE_OF(BENCH_BELL(driver - bench_drivers));
    unsigned count = 0;

    for (long length = bench_take(driver, queue); length >= 0; length = bench_take(driver, queue)) {
        assert_int_equal(length, 1);
        assert_int_equal(received(driver, 3)[0], 1);
        count++;
    }
    return count;
}

static void give_bell_buffers(struct bench_driver *driver, unsigned count)
{
    uint32_t queue = BENCH_RECEIVE_OF(BENCH_BELL(driver - bench_drivers));

    for (unsigned i = 0; i < count; i++) {
        bench_add(driver, queue, bench_buffer(driver, 3), 4, true);
    }
    bench_notify(driver, queue);
}

static void ring(struct bench_driver *driver)
{
    uint32_t number = (uint32_t)(driver - bench_drivers);

    virtio_console_ring(&tenants[number], BENCH_BELL(number));
}

static void test_doorbells(void **state)
{
    (void)state;
    open_both();
    ring(A); /* no buffer yet: many rings are one */
    ring(A);
    assert_int_equal(rings(B), 0);
    give_bell_buffers(B, 3);
    assert_int_equal(rings(B), 1);
    B->interrupts = 0;
    virtio_write(B->device, 0x64, 4, 3);
    ring(A);
    assert_int_equal(B->interrupts, 1);
    for (unsigned i = 0; i < 100; i++) {
        ring(A);
    }
    assert_int_equal(rings(B), 2);
    give_bell_buffers(B, 1);
    assert_int_equal(rings(B), 1);
    give_bell_buffers(B, 1);
    assert_int_equal(rings(B), 0);
    /* By sending, whatever it is: who sends never waits. */
    for (unsigned i = 0; i < 20; i++) {
        uint32_t queue = BENCH_RECEIVE_OF(BENCH_BELL(1)) + 1;

        bench_add(B, queue, bench_buffer(B, 0), 100, false);
        bench_notify(B, queue);
        assert_int_equal(bench_take(B, queue), 0);
    }
    give_bell_buffers(A, 2);
    assert_int_equal(rings(A), 1);
    /* Of a port that is none, or a stream's. */
    for (uint32_t port = 0; port < 1024; port++) {
        if (port != BENCH_BELL(0)) {
            virtio_console_ring(&tenants[0], port);
        }
    }
    virtio_console_ring(&tenants[2], 0);
    assert_int_equal(rings(B), 0);
}

/* Who begins to listen was not meant. */
static void test_doorbell_that_nobody_hears(void **state)
{
    (void)state;
    bench_open(A);
    ring(A);
    bench_open(B);
    give_bell_buffers(B, 1);
    assert_int_equal(rings(B), 0);
    ring(A);
    assert_int_equal(rings(B), 1);
    ring(A);
    bench_tell(B, BENCH_BELL(1), 6, 0);
    bench_tell(B, BENCH_BELL(1), 6, 1);
    give_bell_buffers(B, 1);
    assert_int_equal(rings(B), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_identity, set_up),
        cmocka_unit_test_setup(test_features_must_be_those_offered, set_up),
        cmocka_unit_test_setup(test_ports_are_announced, set_up),
        cmocka_unit_test_setup(test_message_arrives, set_up),
        cmocka_unit_test_setup(test_sender_waits_for_room, set_up),
        cmocka_unit_test_setup(test_long_message_is_one_store, set_up),
        cmocka_unit_test_setup(test_wanted_hart_is_let_go, set_up),
        cmocka_unit_test_setup(test_closing_hangs_up_after_what_was_sent, set_up),
        cmocka_unit_test_setup(test_death_hangs_up_and_restart_begins_afresh, set_up),
        cmocka_unit_test_setup(test_half_a_message_of_the_dead_is_not_delivered, set_up),
        cmocka_unit_test_setup(test_nobody_listens, set_up),
        cmocka_unit_test_setup(test_doorbells, set_up),
        cmocka_unit_test_setup(test_doorbell_that_nobody_hears, set_up),
        cmocka_unit_test_setup(test_malicious_rings_hurt_their_own_end, set_up),
        cmocka_unit_test_setup(test_frames_find_their_receivers, set_up),
        cmocka_unit_test_setup(test_waiting_frame_survives_its_receiver, set_up),
        cmocka_unit_test_setup(test_two_senders_get_on, set_up),
        cmocka_unit_test_setup(test_interrupted_frame_gives_way, set_up),
        cmocka_unit_test_setup(test_links_and_addresses, set_up),
        cmocka_unit_test_setup(test_queues_lie_in_the_tenants_memory, set_up),
    };

    return cmocka_run_group_tests_name("virtio", tests, NULL, NULL);
}

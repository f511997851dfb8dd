/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The RTOS' end of the benchmark of channels: answers the messages of linux/tests/channelbench.c
 * over the stream "bench". It waits in WFI with interrupts off, reads the message that ends the
 * wait, and answers its interrupt before it sends: neither way includes that.
 *
 * Arguments: cost=N   instead: sends rows of messages of some sizes, N of each, to an end that does
 *                     not run meanwhile; prints for each "cost: size=8 cycles=C notify=S", the
 *                     fewest cycles of all of it and of the store that notifies
 *            sink=1   is the end that does not run meanwhile: it takes what has come once a second
 */
#include "bench/timed_notify.h"
#include "linux/tests/channel_exchange.h"
#include "rt/channel.c"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/plic.h"

#define PRIORITY 1
/* Messages in a row: the other end has at least so many buffers. */
#define ROW 8
#define SINK_PAUSE_US 1000000

const char payload_name[] = "bench-channel";

static struct channel *bench;

static void answer_interrupt(void)
{
    uint32_t source = plic_claim();

    if (source != 0) {
        channels_interrupt();
        plic_complete(source);
    }
}

static void receive(void *bytes, uint32_t size)
{
    uint8_t *next = bytes;
    bool waited = false;

    while (size > 0) {
        uint32_t count = channel_read(bench, next, size);

        next += count;
        size -= count;
        if (count == 0) {
            if (waited) {
                answer_interrupt(); /* of something else, or of what came in several pieces */
            }
            wait_for_interrupt();
            waited = true;
        }
    }
}

static void take(uint64_t count)
{
    static uint8_t bytes[CHANNEL_RECEIVE_SIZE];

    while (count > 0) {
        uint32_t part = count < sizeof(bytes) ? (uint32_t)count : sizeof(bytes);

        receive(bytes, part);
        count -= part;
    }
}

static void serve_bench(void)
{
    struct exchange message;
    struct exchange answer = {.kind = EXCHANGE_PING};

    for (;;) {
        receive(&message, sizeof(message));
        answer.on_way = clock_now() - message.sent;
        if (message.kind == EXCHANGE_BULK) {
            take(message.count);
        }
        answer_interrupt();
        answer.sent = clock_now();
        channel_write(bench, &answer, sizeof(answer), false);
    }
}

static void measure_cost(uint64_t rounds)
{
    static const uint32_t sizes[] = {8, 64, 256, 512};
    static uint8_t bytes[CHANNEL_BUFFER_SIZE];

    while (!channel_is_connected(bench)) {
        wait_for_interrupt();
        answer_interrupt();
    }
    csr_write(sie, 0); /* an interrupt that nobody answers would end each sleep */
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t least = UINT64_MAX;
        uint64_t least_notify = UINT64_MAX;

        for (uint64_t round = 0; round < rounds; round++) {
            clock_sleep(2 * SINK_PAUSE_US); /* the sink takes what came */
            for (unsigned n = 0; n < ROW; n++) {
                uint64_t before = csr_read(cycle);
                uint64_t cost;

                channel_write(bench, bytes, sizes[i], false);
                cost = csr_read(cycle) - before;
                least = cost < least ? cost : least;
                least_notify = notify_cycles < least_notify ? notify_cycles : least_notify;
            }
        }
        print("cost: size=%u cycles=%lu notify=%lu\n", sizes[i], least, least_notify);
    }
    print("cost: end\n");
}

static void drain(void)
{
    uint8_t bytes[CHANNEL_BUFFER_SIZE];

    csr_write(sie, 0);
    for (;;) {
        while (channel_read(bench, bytes, sizeof(bytes)) > 0) {
        }
        clock_sleep(SINK_PAUSE_US);
    }
}

void main(void)
{
    uint64_t rounds = platform_number("cost", 0);

    interrupts_disable();
    check(channels_start(), "no virtual console, or one without names");
    bench = channel_open("bench");
    check(bench != NULL, "there is no channel \"bench\"");
    plic_set_threshold(0);
    plic_enable(channels_source(), PRIORITY);
    csr_write(sie, INTERRUPT_EXTERNAL);
    if (rounds > 0) {
        measure_cost(rounds);
        check_pass();
    } else if (platform_number("sink", 0) != 0) {
        drain();
    } else {
        serve_bench();
    }
}

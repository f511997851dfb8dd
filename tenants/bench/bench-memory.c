/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The RTOS' end of the benchmark of memory channels: answers the messages of
 * linux/tests/memorybench.c over the channel "window". It waits in WFI with interrupts off, takes
 * the message that ends the wait, and answers its interrupt before it sends: neither way includes
 * that.
 */
#include "linux/tests/channel_exchange.h"
#include "rt/check.h"
#include "rt/memory_channel.h"
#include "rt/plic.h"

#define PRIORITY 1
#define LONGEST 32768

const char payload_name[] = "bench-memory";

static struct memory_channel memory;
static uint8_t bytes[LONGEST];

static void answer_interrupt(void)
{
    uint32_t source = plic_claim();

    if (source != 0) {
        channels_interrupt();
        plic_complete(source);
    }
}

/* Waits for the doorbell; returns whether it has come: its interrupt is to be answered. */
static bool wait_for_bell(void)
{
    bool waited = memory_channel_begin_wait(&memory, RING_RECEIVING);

    if (waited) {
        wait_for_interrupt();
    }
    return waited;
}

/* The length of the next message, in `bytes`. */
static uint64_t receive(void)
{
    int64_t length = memory_channel_receive(&memory, bytes, sizeof(bytes));
    bool waited = false;

    while (length < 0) {
        check(length != RING_BROKEN, "the other end broke the rules");
        if (waited) {
            answer_interrupt();
        }
        waited = wait_for_bell();
        length = memory_channel_receive(&memory, bytes, sizeof(bytes));
        memory_channel_end_wait(&memory);
    }
    return (uint64_t)length;
}

static void serve(void)
{
    const struct exchange *message = (const struct exchange *)bytes;
    struct exchange answer = {.kind = EXCHANGE_PING};

    while (!memory_channel_is_met(&memory)) {
        (void)wait_for_bell();
        answer_interrupt();
    }
    for (;;) {
        check(receive() == sizeof(*message), "not a message");
        answer.on_way = clock_now() - message->sent;
        if (message->kind == EXCHANGE_BULK) {
            for (uint64_t left = message->count; left > 0;) {
                uint64_t length = receive();

                left -= length < left ? length : left;
            }
        }
        answer_interrupt();
        if (message->kind == EXCHANGE_PAUSE) {
            clock_sleep(message->count);
        }
        answer.sent = clock_now();
        (void)memory_channel_send(&memory, &answer, sizeof(answer));
    }
}

void main(void)
{
    interrupts_disable();
    check(channels_start(), "no virtual console, or one without names");
    check(memory_channel_open(&memory, "window"), "there is no channel \"window\"");
    plic_set_threshold(0);
    plic_enable(channels_source(), PRIORITY);
    csr_write(sie, INTERRUPT_EXTERNAL);
    serve();
}

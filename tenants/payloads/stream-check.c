/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves streams: sends messages of linux/tests/stream_message.h over a channel while it receives
 * such messages, waiting in WFI when it can do neither. Waits for the other end first.
 *
 * Arguments: channel=NAME   (default talk)
 *            send=N         messages to send (default 1000)
 *            receive=N      messages to receive (default 1000)
 *            longest=N      bytes of the longest one (default 512)
 *            rounds=N       how often, each time with an end that opens anew (default 1)
 */
#include "linux/tests/stream_message.h"
#include "rt/channel.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/plic.h"
#include "rt/trap.h"

#define PRIORITY 1
#define LONGEST_AT_MOST 4096

const char payload_name[] = "stream-check";

struct outgoing {
    uint64_t words[LONGEST_AT_MOST / 8];
    uint32_t number; /* messages of which all bytes are on their way */
    uint32_t length;
    uint32_t sent; /* bytes of the present one */
};

static uint32_t longest;

static void on_external(void)
{
    uint32_t source = plic_claim();

    if (source == channels_source()) {
        channels_interrupt();
    }
    if (source != 0) {
        plic_complete(source);
    }
}

/* Whether anything could be sent. */
static bool send_some(struct channel *channel, struct outgoing *out, uint32_t wanted)
{
    uint32_t count;

    if (out->number == wanted) {
        return false;
    }
    if (out->sent == 0) {
        out->length = stream_message_make(out->words, out->number, longest);
    }
    count = channel_write(channel, (const uint8_t *)out->words + out->sent, out->length - out->sent,
                          true);
    out->sent += count;
    if (out->sent == out->length) {
        out->number++;
        out->sent = 0;
    }
    return count != 0;
}

static bool receive_some(struct channel *channel, struct stream_receiver *receiver)
{
    uint8_t bytes[CHANNEL_BUFFER_SIZE];
    uint32_t count = channel_read(channel, bytes, sizeof(bytes));

    check(stream_receive(receiver, bytes, count), "a wrong byte in message %u", receiver->number);
    return count != 0;
}

/* Interrupts are off from the look that found nothing to the WFI, which they end all the same. */
static void exchange(struct channel *channel, uint32_t to_send, uint32_t to_receive)
{
    static struct outgoing out;
    struct stream_receiver receiver = {.longest = longest};

    out.number = 0;
    out.sent = 0;
    while (!channel_is_connected(channel)) {
        wait_for_interrupt();
        interrupts_enable();
        interrupts_disable();
    }
    while (out.number < to_send || receiver.number < to_receive) {
        /* In this order: what was sent before the hang-up is there when that is seen. */
        bool connected = channel_is_connected(channel);
        bool moved = send_some(channel, &out, to_send);

        moved = receive_some(channel, &receiver) || moved;
        check(moved || connected, "the other end hung up after %u messages", receiver.number);
        if (!moved) {
            wait_for_interrupt();
        }
        interrupts_enable();
        interrupts_disable();
    }
    print("stream-check: sent=%u received=%u\n", out.number, receiver.number);
}

/* Until the other end has taken the rest and closed. */
static void wait_for_hang_up(struct channel *channel)
{
    while (channel_is_connected(channel)) {
        wait_for_interrupt();
        interrupts_enable();
        interrupts_disable();
    }
}

void main(void)
{
    uint32_t to_send = (uint32_t)platform_number("send", 1000);
    uint32_t to_receive = (uint32_t)platform_number("receive", 1000);
    uint64_t rounds = platform_number("rounds", 1);
    char name[CHANNEL_NAME_SIZE];
    struct channel *channel;

    platform_word("channel", "talk", name, sizeof(name));
    longest = (uint32_t)platform_number("longest", 512);
    check(longest >= 8 && longest <= LONGEST_AT_MOST, "longest is out of range");
    check(channels_start(), "no virtual console, or one without names");
    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    plic_set_threshold(0);
    plic_enable(channels_source(), PRIORITY);
    csr_write(sie, INTERRUPT_EXTERNAL);
    for (uint64_t round = 0; round < rounds; round++) {
        channel = channel_open(name);
        check(channel != NULL, "there is no such channel");
        exchange(channel, to_send, to_receive);
        channel_close(channel);
        wait_for_hang_up(channel);
    }
    check_pass();
}

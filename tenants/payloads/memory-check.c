/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves memory channels: sends messages of linux/tests/stream_message.h through the window while
 * it receives such messages, waiting for the doorbell in WFI when it can do neither. Waits for the
 * other end first.
 *
 * Arguments: channel=NAME   (default shared)
 *            send=N         messages to send (default 1000)
 *            receive=N      messages to receive (default 1000)
 *            longest=N      bytes of the longest one (default 512)
 *            rounds=N       how often, each time with an end that opens anew (default 1); a round
 * in which the other end goes away is made again
 */
#include "linux/tests/stream_message.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/memory_channel.h"
#include "rt/plic.h"
#include "rt/trap.h"

#define PRIORITY 1
#define LONGEST_AT_MOST 4096

const char payload_name[] = "memory-check";

static struct memory_channel memory;
static uint32_t longest;
static uint32_t sent;

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

/* Interrupts are off from the look that found nothing to the WFI, which they end all the same. */
static void wait_for_bell(void)
{
    if (memory_channel_begin_wait(&memory, RING_BOTH)) {
        wait_for_interrupt();
    }
    memory_channel_end_wait(&memory);
    interrupts_enable();
    interrupts_disable();
}

static int send_next(void)
{
    static uint64_t words[LONGEST_AT_MOST / 8];
    uint32_t length = stream_message_make(words, sent, longest);
    int result = memory_channel_send(&memory, words, length);

    sent += result == 0;
    return result;
}

static int64_t receive_next(struct stream_receiver *receiver)
{
    static uint64_t words[LONGEST_AT_MOST / 8];
    int64_t length = memory_channel_receive(&memory, words, sizeof(words));

    if (length >= 0) {
        check(length <= (int64_t)sizeof(words) &&
                  stream_receive(receiver, (const uint8_t *)words, (uint32_t)length),
              "a wrong byte in message %u", receiver->number);
    }
    return length;
}

/* False: the other end went away before the end. */
static bool exchange(uint32_t to_send, uint32_t to_receive)
{
    struct stream_receiver receiver = {.longest = longest};

    sent = 0;
    while (!memory_channel_is_met(&memory)) {
        wait_for_bell();
    }
    while (sent < to_send || receiver.number < to_receive) {
        int out = sent < to_send ? send_next() : RING_NOT_NOW;
        int64_t in = receiver.number < to_receive ? receive_next(&receiver) : RING_NOT_NOW;

        check(out != RING_BROKEN && in != RING_BROKEN, "the other end broke the rules");
        if (in == RING_APART || (out == RING_APART && receiver.number == to_receive)) {
            print("memory-check: went away after sent=%u received=%u\n", sent, receiver.number);
            return false;
        }
        if (out == RING_NOT_NOW && in == RING_NOT_NOW) {
            wait_for_bell();
        }
    }
    print("memory-check: sent=%u received=%u\n", sent, receiver.number);
    return true;
}

void main(void)
{
    uint32_t to_send = (uint32_t)platform_number("send", 1000);
    uint32_t to_receive = (uint32_t)platform_number("receive", 1000);
    uint64_t rounds = platform_number("rounds", 1);
    char name[CHANNEL_NAME_SIZE];

    platform_word("channel", "shared", name, sizeof(name));
    longest = (uint32_t)platform_number("longest", 512);
    check(longest >= 8 && longest <= LONGEST_AT_MOST, "longest is out of range");
    check(channels_start(), "no virtual console, or one without names");
    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    plic_set_threshold(0);
    plic_enable(channels_source(), PRIORITY);
    csr_write(sie, INTERRUPT_EXTERNAL);
    while (rounds > 0) {
        check(memory_channel_open(&memory, name), "there is no such channel");
        rounds -= exchange(to_send, to_receive);
        if (rounds > 0) {
            while (memory_channel_is_met(&memory)) {
                wait_for_bell(); /* until the other end has taken the rest and closed */
            }
        }
        memory_channel_close(&memory);
    }
    check_pass();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorycheck CHANNEL SEND RECEIVE [LONGEST]: opens a memory channel and sends SEND messages of
 * stream_message.h while it receives RECEIVE of them, each at most LONGEST bytes (512). Waits until
 * the other end is there. Prints what went each way. Exit status 0: all of it, and right; 1:
 * something was wrong; 3: the other end went away or began anew before the end.
 *
 * memorycheck CHANNEL flood SECONDS: rings as fast as it can, by the doorbell, and says how often.
 * memorycheck CHANNEL poke COUNT: rings COUNT times by writing to the port, without /dev/mem.
 * memorycheck CHANNEL endure SECONDS: sends and takes whatever comes of an end that keeps to no
 * rule, beginning anew each time the ring is broken, and when the two do not meet: the other end
 * has perhaps written over what this one says of itself. memorycheck CHANNEL atomics COUNT: whether
 * the mapping is that of memory: atomics and misaligned accesses work.
 */
#include "common.h"

#include "../channel/memory_channel.h"
#include "stream_message.h"

#define LONGEST_AT_MOST 16384
#define LONGEST_DEFAULT 512
#define WRONG 1
#define WENT_AWAY 3
#define MOST_APART 20

static struct memory_channel channel;
static unsigned long sent;

/* Returns what became of it: as ring_send() says. */
static int send_next(unsigned long longest)
{
    static uint64_t words[LONGEST_AT_MOST / 8];
    uint32_t length = stream_message_make(words, (uint32_t)sent, (uint32_t)longest);
    int result = memory_channel_send(&channel, words, length);

    sent += result == 0;
    return result;
}

/* Returns the length, or what ring_receive() says; RING_BROKEN as well for wrong bytes. */
static int64_t receive_next(struct stream_receiver *receiver)
{
    static uint64_t words[LONGEST_AT_MOST / 8];
    int64_t length = memory_channel_receive(&channel, words, sizeof(words));

    if (length >= 0 && (length > (int64_t)sizeof(words) ||
                        !stream_receive(receiver, (const uint8_t *)words, (uint32_t)length)))
        return RING_BROKEN;
    return length;
}

static int exchange(struct stream_receiver *receiver, unsigned long to_send,
                    unsigned long to_receive)
{
    while (!memory_channel_is_met(&channel))
        memory_channel_wait(&channel, RING_BOTH, 1000);
    while (sent < to_send || receiver->number < to_receive) {
        int out = sent < to_send ? send_next(receiver->longest) : RING_NOT_NOW;
        int64_t in = receiver->number < to_receive ? receive_next(receiver) : RING_NOT_NOW;

        if (out == RING_BROKEN || in == RING_BROKEN || out == RING_TOO_LONG)
            return WRONG;
        if (in == RING_APART || (out == RING_APART && receiver->number == to_receive))
            return WENT_AWAY;
        if (out == RING_NOT_NOW && in == RING_NOT_NOW)
            memory_channel_wait(&channel, RING_BOTH, 1000);
    }
    return 0;
}

static int flood(const char *seconds)
{
    int64_t end = deadline_after(seconds);
    unsigned long count = 0;

    for (; now_ns() < end; count++)
        *(volatile uint32_t *)(void *)(channel.bells + channel.bell) = 1;
    printf("memorycheck: rang=%lu\n", count);
    return 0;
}

static int poke(unsigned long count)
{
    struct pollfd port = {.fd = channel.port, .events = POLLOUT};

    for (; count > 0; count--) {
        if (poll(&port, 1, -1) < 0 || write(channel.port, "!", 1) != 1)
            give_up("write");
    }
    return 0;
}

static int endure(const char *seconds)
{
    int64_t end = deadline_after(seconds);
    unsigned long count[2] = {0};
    uint64_t words[8] = {0};
    unsigned apart = 0;

    while (now_ns() < end) {
        int64_t in = memory_channel_receive(&channel, words, sizeof(words));
        int out = memory_channel_send(&channel, words, sizeof(words));

        count[0] += in >= 0;
        apart = in == RING_APART ? apart + 1 : 0;
        if (in == RING_BROKEN || out == RING_BROKEN || apart > MOST_APART) {
            count[1] += apart == 0;
            apart = 0;
            memory_channel_reopen(&channel);
        }
        if (in < 0 && out < 0)
            memory_channel_wait(&channel, RING_BOTH, 10);
    }
    printf("memorycheck: took=%lu broken=%lu\n", count[0], count[1]);
    return count[1] > 0 ? 0 : WRONG;
}

/* In a place of its own half of the header that means nothing. */
static int try_atomics(unsigned long count)
{
    _Atomic uint64_t *place = (_Atomic uint64_t *)(void *)channel.ring.own->unused;
    uint64_t misaligned = 0;

    atomic_store(place, 0);
    for (unsigned long i = 0; i < count; i++) {
        uint64_t before = atomic_fetch_add(place, 1); /* AMO */

        before++;
        if (!atomic_compare_exchange_strong(place, &before, before + 1)) /* LR and SC */
            return WRONG;
    }
    memcpy(channel.ring.own->unused + 11, &count, sizeof(count));
    memcpy(&misaligned, channel.ring.own->unused + 11, sizeof(misaligned));
    return atomic_load(place) == 2 * count && misaligned == count ? 0 : WRONG;
}

int main(int argc, char **argv)
{
    struct stream_receiver receiver = {.longest = LONGEST_DEFAULT};
    int64_t begun;
    int status;

    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: memorycheck CHANNEL SEND RECEIVE [LONGEST]\n");
        return 2;
    }
    if (memory_channel_open(&channel, argv[1]) != 0)
        give_up(argv[1]);
    if (strcmp(argv[2], "flood") == 0)
        return flood(argv[3]);
    if (strcmp(argv[2], "poke") == 0)
        return poke(parse_number(argv[3]));
    if (strcmp(argv[2], "endure") == 0)
        return endure(argv[3]);
    if (strcmp(argv[2], "atomics") == 0)
        return try_atomics(parse_number(argv[3]));
    if (argc == 5)
        receiver.longest = (uint32_t)parse_number(argv[4]);
    if (receiver.longest < 8 || receiver.longest > LONGEST_AT_MOST)
        return 2;
    begun = now_ns();
    status = exchange(&receiver, parse_number(argv[2]), parse_number(argv[3]));
    printf("memorycheck: sent=%lu received=%u ns=%lld %s\n", sent, receiver.number,
           (long long)(now_ns() - begun),
           status == 0           ? "good"
           : status == WENT_AWAY ? "went away"
                                 : "wrong");
    memory_channel_close(&channel);
    return status;
}

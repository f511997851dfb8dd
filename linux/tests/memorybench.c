/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorybench COUNT: as channelbench, over the memory channel "window" to the RTOS program
 * bench-memory, which waits for its doorbell and answers at once; then after a pause, when this
 * process sleeps and Linux with it; then after a pause in which this process looks into the window
 * all the time:
 *
 *   memorybench: doorbell out=900 back=1300 round=2300
 *   memorybench: doorbell size=64 MBps=10.1
 *   memorybench: asleep out=900 back=9000 round=9900
 *   memorybench: polling out=900 back=400 round=1400
 *
 * "round" is the sum of both directions here.
 */
#include "../channel/memory_channel.h"
#include "way.h"

#define BULK_MESSAGES 200
#define PAUSE_US 50

static const size_t sizes[] = {32, 256, 1024, 4096, 32768};

static struct memory_channel channel;
static bool polls;
static struct exchange message = {.kind = EXCHANGE_PING};

static void send_one(const void *bytes, size_t size)
{
    int result;

    while ((result = memory_channel_send(&channel, bytes, (uint32_t)size)) == RING_NOT_NOW)
        memory_channel_wait(&channel, RING_SENDING, -1);
    if (result != 0)
        give_up("send");
}

static void receive_one(struct exchange *answer)
{
    int64_t length;

    while ((length = memory_channel_receive(&channel, answer, sizeof(*answer))) == RING_NOT_NOW) {
        if (!polls)
            memory_channel_wait(&channel, RING_RECEIVING, -1);
    }
    if (length != sizeof(*answer))
        give_up("receive");
}

static void exchange_all(const char *name, unsigned long count)
{
    struct exchange answer;
    uint64_t out = 0;
    uint64_t back = 0;
    uint64_t whole = 0;

    for (unsigned long i = 0; i < count + WARM_UP; i++) {
        uint64_t done;

        message.sent = ticks();
        send_one(&message, sizeof(message));
        receive_one(&answer);
        done = ticks();
        if (i < WARM_UP)
            continue;
        out += answer.on_way;
        back += done - answer.sent;
        whole += answer.on_way + done - answer.sent;
    }
    printf("memorybench: %s out=%.0f back=%.0f round=%.0f\n", name, ns_of(out, count),
           ns_of(back, count), ns_of(whole, count));
}

static void move_bytes(size_t size)
{
    static uint8_t bytes[32768];
    struct exchange bulk = {.kind = EXCHANGE_BULK, .count = size * BULK_MESSAGES};
    struct exchange answer;
    uint64_t begun = ticks();

    send_one(&bulk, sizeof(bulk));
    for (int i = 0; i < BULK_MESSAGES; i++)
        send_one(bytes, size);
    receive_one(&answer);
    printf("memorybench: doorbell size=%zu MBps=%.1f\n", size,
           (double)bulk.count / 1e6 / ((double)(ticks() - begun) / (double)ticks_per_second));
}

int main(int argc, char **argv)
{
    unsigned long count;

    if (argc != 2) {
        fprintf(stderr, "usage: memorybench COUNT\n");
        return 2;
    }
    count = parse_number(argv[1]);
    if (memory_channel_open(&channel, "window") != 0)
        give_up("window");
    while (!memory_channel_is_met(&channel))
        memory_channel_wait(&channel, RING_RECEIVING, -1);
    find_frequency();
    exchange_all("doorbell", count);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        move_bytes(sizes[i]);
    message = (struct exchange){.kind = EXCHANGE_PAUSE, .count = PAUSE_US};
    exchange_all("asleep", count);
    polls = true;
    exchange_all("polling", count);
    memory_channel_close(&channel);
    return 0;
}

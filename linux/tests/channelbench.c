/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channelbench COUNT: exchanges COUNT messages with another process over two pipes, then with the
 * RTOS program bench-channel over the stream "bench", and then moves bytes to both in messages of
 * several sizes. Prints averages in ns, of the clock that both share:
 *
 *   channelbench: pipe out=1234 back=1250 round=2600
 *   channelbench: stream out=900 back=1300 round=2300
 *   channelbench: pipe size=64 MBps=12.3
 *   channelbench: stream size=64 MBps=10.1
 *
 * "out": from before the write to after the read at the other end; "back": the same for the answer,
 * which the reader waits for in read().
 */
#include "common.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel_exchange.h"

#define PORT "/dev/virtio-ports/bench"
#define BULK_MESSAGES 200
#define WARM_UP 20

static const size_t sizes[] = {32, 256, 1024, 4096, 32768};

/* A way to the other end and back. */
struct way {
    const char *name;
    int out;
    int back;
};

static uint64_t ticks_per_second;

static uint64_t ticks(void)
{
    uint64_t now;

    __asm__ volatile("rdtime %0" : "=r"(now));
    return now;
}

/* By the clock of the kernel, over a moment. */
static void find_frequency(void)
{
    int64_t begun = now_ns();
    uint64_t first = ticks();

    while (now_ns() - begun < 100000000) {
    }
    ticks_per_second = (ticks() - first) * 10;
    ticks_per_second = (ticks_per_second + 5000) / 10000 * 10000;
}

static void read_all(int file, void *bytes, size_t size)
{
    uint8_t *next = bytes;

    while (size > 0) {
        ssize_t count = read(file, next, size);

        if (count <= 0)
            give_up("read");
        next += count;
        size -= (size_t)count;
    }
}

static void write_all(int file, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;

    while (size > 0) {
        ssize_t count = write(file, next, size);

        if (count <= 0)
            give_up("write");
        next += count;
        size -= (size_t)count;
    }
}

/* The other process: does what bench-channel does. */
static _Noreturn void answer_all(int in, int out)
{
    static uint8_t bulk[32768];
    struct exchange message;
    struct exchange answer = {.kind = EXCHANGE_PING};

    for (;;) {
        if (read(in, &message, sizeof(message)) != sizeof(message))
            exit(0);
        answer.on_way = ticks() - message.sent;
        while (message.kind == EXCHANGE_BULK && message.count > 0) {
            size_t part = message.count < sizeof(bulk) ? message.count : sizeof(bulk);
            ssize_t count = read(in, bulk, part);

            if (count <= 0)
                exit(1);
            message.count -= (uint64_t)count;
        }
        answer.sent = ticks();
        write_all(out, &answer, sizeof(answer));
    }
}

static double ns_of(uint64_t sum, unsigned long count)
{
    return (double)sum * 1e9 / (double)ticks_per_second / (double)count;
}

static void exchange(const struct way *way, unsigned long count)
{
    struct exchange message = {.kind = EXCHANGE_PING};
    struct exchange answer;
    uint64_t out = 0;
    uint64_t back = 0;
    uint64_t whole = 0;

    for (unsigned long i = 0; i < count + WARM_UP; i++) {
        uint64_t done;

        message.sent = ticks();
        write_all(way->out, &message, sizeof(message));
        read_all(way->back, &answer, sizeof(answer));
        done = ticks();
        if (i < WARM_UP)
            continue;
        out += answer.on_way;
        back += done - answer.sent;
        whole += done - message.sent;
    }
    printf("channelbench: %s out=%.0f back=%.0f round=%.0f\n", way->name, ns_of(out, count),
           ns_of(back, count), ns_of(whole, count));
}

static void move_bytes(const struct way *way, size_t size)
{
    static uint8_t bytes[32768];
    struct exchange message = {.kind = EXCHANGE_BULK, .count = size * BULK_MESSAGES};
    struct exchange answer;
    uint64_t begun = ticks();

    message.sent = begun;
    write_all(way->out, &message, sizeof(message));
    for (int i = 0; i < BULK_MESSAGES; i++)
        write_all(way->out, bytes, size);
    read_all(way->back, &answer, sizeof(answer));
    printf("channelbench: %s size=%zu MBps=%.1f\n", way->name, size,
           (double)message.count / 1e6 / ((double)(ticks() - begun) / (double)ticks_per_second));
}

static void measure(const struct way *way, unsigned long count)
{
    exchange(way, count);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        move_bytes(way, sizes[i]);
}

static void measure_pipe(unsigned long count)
{
    int out[2];
    int back[2];

    if (pipe(out) != 0 || pipe(back) != 0)
        give_up("pipe");
    if (fork() == 0) {
        close(out[1]);
        answer_all(out[0], back[1]);
    }
    measure(&(struct way){"pipe", out[1], back[0]}, count);
    close(out[1]);
    wait(NULL);
}

static void measure_stream(unsigned long count)
{
    int port = open(PORT, O_RDWR);
    struct pollfd poll_port = {.fd = port, .events = POLLOUT};

    if (port < 0)
        give_up(PORT);
    while (poll(&poll_port, 1, -1) < 0 || (poll_port.revents & POLLHUP) != 0)
        usleep(1000);
    measure(&(struct way){"stream", port, port}, count);
}

int main(int argc, char **argv)
{
    unsigned long count;

    if (argc != 2) {
        fprintf(stderr, "usage: channelbench COUNT\n");
        return 2;
    }
    count = parse_number(argv[1]);
    find_frequency();
    measure_pipe(count);
    measure_stream(count);
    printf("channelbench: end\n");
    return 0;
}

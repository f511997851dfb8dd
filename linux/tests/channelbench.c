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
#include "way.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#define PORT "/dev/virtio-ports/bench"
#define BULK_MESSAGES 200

static const size_t sizes[] = {32, 256, 1024, 4096, 32768};

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
    exchange("channelbench", way, count);
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

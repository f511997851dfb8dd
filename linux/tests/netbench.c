/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netbench COUNT ADDRESS: exchanges COUNT datagrams with another process over the loopback, then
 * with a tenant with the application freertos-net at ADDRESS, and then moves bytes to both in
 * datagrams of several sizes. Prints averages in ns, of the clock that both share:
 *
 *   netbench: loopback out=1234 back=1250 round=2600
 *   netbench: net out=900 back=1300 round=2300
 *   netbench: loopback size=64 MBps=12.3
 *   netbench: net size=64 MBps=10.1
 *
 * "out": from before the send to the receiver at the other end; "back": the same for the answer. In
 * bulk the receiver answers every ROW datagrams, and no more than two rows are under way.
 */
#include "way.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ROWS 20
#define ROW 8
#define LONGEST 1472

static const size_t sizes[] = {32, 256, 1024, LONGEST};

static int connect_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(EXCHANGE_PORT)};
    int port = socket(AF_INET, SOCK_DGRAM, 0);

    if (port < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 ||
        connect(port, (struct sockaddr *)&to, sizeof(to)) != 0)
        give_up(address);
    return port;
}

/* The other process: does what freertos-net does. */
static _Noreturn void answer_all(int port)
{
    static uint8_t bytes[LONGEST];

    for (;;) {
        struct exchange message;
        struct sockaddr_in from;
        socklen_t size = sizeof(from);

        if (recvfrom(port, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &size) <
            (ssize_t)sizeof(message))
            exit(1);
        memcpy(&message, bytes, sizeof(message));
        if (message.kind == EXCHANGE_BULK && message.count == 0)
            continue;
        message.on_way = ticks() - message.sent;
        message.sent = ticks();
        if (sendto(port, &message, sizeof(message), 0, (struct sockaddr *)&from, size) < 0)
            exit(1);
    }
}

static void move_bytes(const struct way *way, size_t size)
{
    static uint8_t bytes[LONGEST];
    struct exchange message = {.kind = EXCHANGE_BULK};
    struct exchange answer;
    uint64_t begun = ticks();

    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < ROW; i++) {
            message.count = i == ROW - 1;
            memcpy(bytes, &message, sizeof(message));
            write_all(way->out, bytes, size);
        }
        if (row > 0)
            read_all(way->back, &answer, sizeof(answer));
    }
    read_all(way->back, &answer, sizeof(answer));
    printf("netbench: %s size=%zu MBps=%.1f\n", way->name, size,
           (double)(size * ROW * ROWS) / 1e6 /
               ((double)(ticks() - begun) / (double)ticks_per_second));
}

static void measure(const struct way *way, unsigned long count)
{
    exchange("netbench", way, count);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        move_bytes(way, sizes[i]);
}

static void measure_loopback(unsigned long count)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(EXCHANGE_PORT)};
    int other = socket(AF_INET, SOCK_DGRAM, 0);
    int port = connect_to("127.0.0.1");
    pid_t process;

    if (other < 0 || bind(other, (struct sockaddr *)&here, sizeof(here)) != 0)
        give_up("bind");
    process = fork();
    if (process == 0)
        answer_all(other);
    measure(&(struct way){"loopback", port, port}, count);
    kill(process, SIGKILL);
    wait(NULL);
}

int main(int argc, char **argv)
{
    unsigned long count;
    int port;

    if (argc != 3) {
        fprintf(stderr, "usage: netbench COUNT ADDRESS\n");
        return 2;
    }
    count = parse_number(argv[1]);
    find_frequency();
    measure_loopback(count);
    port = connect_to(argv[2]);
    measure(&(struct way){"net", port, port}, count);
    printf("netbench: end\n");
    return 0;
}

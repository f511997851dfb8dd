/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udpstamps COUNT: how long datagrams of 16 bytes take from the interrupt until they are delivered,
 * COUNT times for each of four ways. A thread looks at the clock all the time: the last time that
 * it saw before a datagram was delivered is when the interrupt came. Prints "udpstamps: WAY" when
 * the datagrams of that way may come, slowly, and then the median, in ns of the clock:
 *
 *   udpstamps: socket        a thread of Linux reads it from a socket, port 9
 *   udpstamps: socket=10000
 *   udpstamps: tun           Linux passes it on to 10.1.0.2, a TUN device that a thread reads
 *   udpstamps: components    the component OS has it from its own device: component stamper
 *   udpstamps: relay         a thread reads it from a socket and passes it on to a component
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../channel/components.h"
#include "common.h"

#define TICK_NS 100
#define GAP_TICKS 5
#define PORT 9
#define SIZE 16
#define HEADERS_SIZE 28 /* IPv4 and UDP */
#define PATIENCE_MS 5000
#define PRIORITY 50

enum way { SOCKET, TUN, COMPONENTS, RELAY, WAYS };

static const char *const names[WAYS] = {"socket", "tun", "components", "relay"};
static struct components components;
static unsigned long count;
static int input;             /* what the thread reads from */
static _Atomic uint64_t last; /* when a datagram was delivered, ticks */
static atomic_bool is_over;
static uint64_t *values;

static uint64_t ticks(void)
{
    uint64_t now;

    __asm__ volatile("rdtime %0" : "=r"(now)::"memory");
    return now;
}

static uint64_t call(const char *name, const uint64_t *arguments)
{
    uint64_t value;

    if (components_call(&components, name, arguments, 2, &value, PATIENCE_MS) != 0)
        give_up(name);
    return value;
}

/* Passes a datagram on. Returns when a component had it: two numbers, which timer.now takes. */
static uint64_t deliver(const uint8_t *bytes)
{
    uint64_t words[2];

    memcpy(words, bytes, sizeof(words));
    return call("timer.now", words);
}

static void *receive(void *argument)
{
    enum way way = *(const enum way *)argument;
    ssize_t wanted = way == TUN ? HEADERS_SIZE + SIZE : SIZE;
    struct sched_param parameters = {.sched_priority = PRIORITY};
    uint8_t bytes[2048];

    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) != 0)
        give_up("pthread_setschedparam");
    while (!atomic_load(&is_over)) {
        if (read(input, bytes, sizeof(bytes)) == wanted)
            atomic_store(&last, way == RELAY ? deliver(bytes) : ticks());
    }
    return NULL;
}

/* Of a signal, which ends a read(). */
static void nothing(int signal)
{
    (void)signal;
}

static void open_socket(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(PORT)};

    input = socket(AF_INET, SOCK_DGRAM, 0);
    if (input < 0 || bind(input, (struct sockaddr *)&here, sizeof(here)) != 0)
        give_up("bind");
}

static void open_tun(void)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = "tun0"};

    input = open("/dev/net/tun", O_RDWR);
    if (input < 0 || ioctl(input, TUNSETIFF, &request) != 0 ||
        system("ip addr add 10.1.0.1/24 dev tun0 && ip link set tun0 up && "
               "echo 1 >/proc/sys/net/ipv4/ip_forward") != 0)
        give_up("tun0");
}

/* When the last one was delivered; a component that receives them tells it by a setting. */
static uint64_t delivered(enum way way)
{
    uint64_t stamp[2] = {0};

    if (way != COMPONENTS)
        return atomic_load(&last);
    memcpy(stamp, "stamp", 5);
    return call("settings.get", stamp);
}

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Looks at the clock until all have been delivered. Returns the median, ns. */
static uint64_t look(enum way way)
{
    uint64_t seen = delivered(way);
    uint64_t before = ticks();

    for (unsigned long found = 0; found < count;) {
        uint64_t now = ticks();

        if (now - before > GAP_TICKS) {
            uint64_t stamp = delivered(way);

            if (stamp != seen) {
                values[found++] = stamp - before;
                seen = stamp;
            }
            now = ticks();
        }
        before = now;
    }
    qsort(values, count, sizeof(*values), by_value);
    return values[count / 2] * TICK_NS;
}

static void measure(enum way way)
{
    pthread_t thread;
    uint64_t median;

    atomic_store(&last, 0);
    atomic_store(&is_over, false);
    if (way == TUN)
        open_tun();
    else if (way != COMPONENTS)
        open_socket();
    if (way != COMPONENTS && pthread_create(&thread, NULL, receive, &way) != 0)
        give_up("pthread_create");
    printf("udpstamps: %s\n", names[way]);
    median = look(way);
    printf("udpstamps: %s=%lu\n", names[way], (unsigned long)median);
    if (way != COMPONENTS) {
        atomic_store(&is_over, true);
        pthread_kill(thread, SIGUSR1);
        pthread_join(thread, NULL);
        close(input);
    }
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = nothing};

    if (argc != 2) {
        fprintf(stderr, "usage: udpstamps COUNT\n");
        return 2;
    }
    count = parse_number(argv[1]);
    values = calloc(count, sizeof(*values));
    if (values == NULL || sigaction(SIGUSR1, &action, NULL) != 0)
        give_up("start");
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (components_open(&components, PATIENCE_MS) != 0)
        give_up(COMPONENTS_PORT);
    for (enum way way = 0; way < WAYS; way++)
        measure(way);
    components_close(&components);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netcheck ADDRESS SEND RECEIVE [LONGEST]: sends SEND messages in UDP datagrams (datagram.h) to a
 * tenant with the application freertos-net while it receives RECEIVE of them, each at most LONGEST
 * bytes (512). Prints what went each way. Exit status 0: all of it came and was right; 1: something
 * was wrong or lost.
 */
#include "common.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "datagram.h"

#define LONGEST_DEFAULT 512
#define LOOK_MS 10
/* So long nothing comes at all before it asks, and before it gives up. */
#define ASK_MS 1000
#define GIVE_UP_MS 120000

static int port;
static struct datagram_peer peer;
static unsigned long to_receive;

static void send_one(bool with_message)
{
    struct datagram datagram;
    uint32_t length = datagram_make(&peer, &datagram, with_message);

    datagram.header.to_send = (uint32_t)to_receive;
    /* Refused for want of memory, or because nobody answers yet: lost, as datagrams may be. */
    if (send(port, &datagram, length, 0) == (ssize_t)length && with_message)
        peer.sent++;
}

static void send_all(void)
{
    uint32_t before;

    do {
        before = peer.sent;
        if (datagram_may_send(&peer))
            send_one(true);
    } while (peer.sent != before);
}

/* Takes a few datagrams, so that sending has its turn too. Whether any had come. */
static bool receive_some(void)
{
    struct datagram datagram;

    for (int i = 0; i < DATAGRAM_WINDOW / 4; i++) {
        ssize_t length = recv(port, &datagram, sizeof(datagram), MSG_DONTWAIT);

        if (length < (ssize_t)sizeof(datagram.header))
            return i > 0;
        if (datagram.header.run == peer.run)
            datagram_take(&peer, &datagram, (uint32_t)length);
        if (datagram_must_acknowledge(&peer))
            send_one(false);
    }
    return true;
}

static bool is_done(void)
{
    return peer.acknowledged == peer.to_send && peer.seen >= to_receive;
}

static void exchange(void)
{
    struct pollfd poll_port = {.fd = port, .events = POLLIN};
    int idle_looks = 0;

    while (!is_done() && idle_looks < GIVE_UP_MS / LOOK_MS) {
        bool quiet = poll(&poll_port, 1, LOOK_MS) == 0;

        idle_looks = receive_some() ? 0 : idle_looks + 1;
        send_all();
        if ((quiet && peer.seen != peer.told) || idle_looks % (ASK_MS / LOOK_MS) == 1)
            send_one(false);
    }
    send_one(false);
}

int main(int argc, char **argv)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(DATAGRAM_PORT)};
    bool good;

    if ((argc != 4 && argc != 5) || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
        fprintf(stderr, "usage: netcheck ADDRESS SEND RECEIVE [LONGEST]\n");
        return 2;
    }
    peer.run = (uint32_t)now_ns() | 1;
    peer.to_send = (uint32_t)parse_number(argv[2]);
    to_receive = parse_number(argv[3]);
    peer.longest = argc == 5 ? (uint32_t)parse_number(argv[4]) : LONGEST_DEFAULT;
    if (peer.longest < 8 || peer.longest > DATAGRAM_LONGEST)
        return 2;
    port = socket(AF_INET, SOCK_DGRAM, 0);
    if (port < 0 || connect(port, (struct sockaddr *)&to, sizeof(to)) != 0)
        give_up(argv[1]);
    exchange();
    good = is_done() && peer.received == to_receive && peer.wrong == 0 && peer.lost == 0;
    printf("netcheck: sent=%u received=%u lost=%u wrong=%u %s\n", peer.sent, peer.received,
           peer.lost, peer.wrong, good ? "good" : "bad");
    return good ? 0 : 1;
}

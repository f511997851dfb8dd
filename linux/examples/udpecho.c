/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udpecho ADDRESS [COUNT [SIZE]]: sends COUNT datagrams (10) of SIZE bytes (32), one after the
 * other, to the UDP echo (port 7) at ADDRESS, and prints how long they took there and back. Exit
 * status 0: each came back as it was sent; 1: one did not, within a second; 2: it could not try.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#define ECHO_PORT 7
#define COUNT_DEFAULT 10
#define SIZE_DEFAULT 32
#define SIZE_AT_MOST 1472
#define PATIENCE_SECONDS 1

static double microseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int open_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(ECHO_PORT)};
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    int port = socket(AF_INET, SOCK_DGRAM, 0);

    if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
        errno = EINVAL;
    else if (port >= 0 && connect(port, (struct sockaddr *)&to, sizeof(to)) == 0 &&
             setsockopt(port, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0)
        return port;
    fprintf(stderr, "udpecho: %s: %s\n", address, strerror(errno));
    exit(2);
}

/* Whether datagram `number` came back. */
static int try_one(int port, long number, size_t size)
{
    unsigned char sent[SIZE_AT_MOST];
    unsigned char received[SIZE_AT_MOST];

    for (size_t i = 0; i < size; i++)
        sent[i] = (unsigned char)((unsigned long)number * 31 + i);
    return send(port, sent, size, 0) == (ssize_t)size &&
           recv(port, received, sizeof(received), 0) == (ssize_t)size &&
           memcmp(sent, received, size) == 0;
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : COUNT_DEFAULT;
    long size = argc > 3 ? atol(argv[3]) : SIZE_DEFAULT;
    double least = 1e12;
    double sum = 0;
    int port;

    if (argc < 2 || argc > 4 || count < 1 || size < 1 || size > SIZE_AT_MOST) {
        fprintf(stderr, "usage: udpecho ADDRESS [COUNT [SIZE]]\n");
        return 2;
    }
    port = open_to(argv[1]);
    for (long number = 0; number < count; number++) {
        double begun = microseconds();
        double taken;

        if (!try_one(port, number, (size_t)size)) {
            printf("udpecho: datagram %ld did not come back\n", number);
            return 1;
        }
        taken = microseconds() - begun;
        least = taken < least ? taken : least;
        sum += taken;
    }
    printf("udpecho: %ld of %ld bytes came back, min %.1f us, avg %.1f us\n", count, size, least,
           sum / (double)count);
    return 0;
}

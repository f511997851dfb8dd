/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netflood ADDRESS SECONDS [SIZE]: sends datagrams of SIZE bytes (32) to ADDRESS, which nobody
 * there wants, as fast as it can. Prints how many. Status 2: it could not.
 */
#include "common.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#define DISCARD_PORT 9
#define SIZE_DEFAULT 32
#define SIZE_AT_MOST 1472

int main(int argc, char **argv)
{
    static char bytes[SIZE_AT_MOST];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(DISCARD_PORT)};
    unsigned long size = argc == 4 ? parse_number(argv[3]) : SIZE_DEFAULT;
    unsigned long sent = 0;
    int64_t end;
    int port = socket(AF_INET, SOCK_DGRAM, 0);

    if ((argc != 3 && argc != 4) || size > SIZE_AT_MOST) {
        fprintf(stderr, "usage: netflood ADDRESS SECONDS [SIZE]\n");
        return 2;
    }
    if (port < 0 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
        give_up(argv[1]);
    end = deadline_after(argv[2]);
    /* Not connected, it does not hear that nobody wants them. */
    while (now_ns() < end) {
        if (sendto(port, bytes, size, 0, (struct sockaddr *)&to, sizeof(to)) >= 0)
            sent++;
    }
    printf("netflood: sent=%lu\n", sent);
    return 0;
}

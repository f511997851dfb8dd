/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay ADDRESS PORT SERVER-ADDRESS SERVER-PORT: takes connections and makes one to the server for
 * each, and passes bytes between the two: the firewall of examples/firewall.toml. IPv4, numeric.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAITING 16

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct sockaddr_in parse_address(const char *address, const char *port)
{
    struct sockaddr_in parsed = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};

    if (inet_pton(AF_INET, address, &parsed.sin_addr) != 1) {
        errno = EINVAL;
        give_up(address);
    }
    return parsed;
}

/* Passes on what has come; false: that side has ended. */
static bool pass(int from, int to)
{
    char bytes[4096];
    ssize_t count = read(from, bytes, sizeof(bytes));
    ssize_t done = 0;

    while (done < count) {
        ssize_t written = write(to, bytes + done, (size_t)(count - done));

        if (written <= 0)
            return false;
        done += written;
    }
    return count > 0;
}

/* One connection, from its beginning to its end. */
static void serve(int client, const struct sockaddr_in *server)
{
    int out = socket(AF_INET, SOCK_STREAM, 0);
    struct pollfd sides[2] = {{client, POLLIN, 0}, {out, POLLIN, 0}};

    if (out < 0 || connect(out, (const struct sockaddr *)server, sizeof(*server)) != 0)
        give_up("the server");
    while (sides[0].fd >= 0 || sides[1].fd >= 0) {
        if (poll(sides, 2, -1) < 0)
            give_up("poll");
        for (int side = 0; side < 2; side++) {
            int other = side == 0 ? out : client;

            if (sides[side].revents != 0 && !pass(sides[side].fd, other)) {
                shutdown(other, SHUT_WR);
                sides[side].fd = -1;
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in here;
    struct sockaddr_in server;
    int listener;
    int yes = 1;

    if (argc != 5) {
        fprintf(stderr, "usage: relay ADDRESS PORT SERVER-ADDRESS SERVER-PORT\n");
        return 2;
    }
    here = parse_address(argv[1], argv[2]);
    server = parse_address(argv[3], argv[4]);
    signal(SIGCHLD, SIG_IGN);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(listener, (const struct sockaddr *)&here, sizeof(here)) != 0 ||
        listen(listener, WAITING) != 0)
        give_up(argv[1]);
    for (;;) {
        int client = accept(listener, NULL, NULL);

        if (client >= 0 && fork() == 0) {
            serve(client, &server);
            return 0;
        }
        if (client >= 0)
            close(client);
    }
}

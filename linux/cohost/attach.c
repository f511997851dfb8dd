/* SPDX-License-Identifier: BSD-2-Clause */
/* The verb console: this terminal as a viewer of a guest's console. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client_tree.h"
#include "keys.h"
#include "running.h"
#include "say.h"
#include "terminal.h"
#include "unix_socket.h"
#include "verbs.h"

#define NOWHERE (-1)
#define PIECE 4096

struct typing {
    bool raw; /* the keys of a terminal */
    bool ended;
    struct keys keys;
    uint8_t bytes[PIECE];
    size_t first, count; /* read, and not yet sent */
};

static int attach(const char *name, bool is_guest)
{
    char path[RUNNING_PATH_SIZE];
    int file;

    if (is_guest) {
        running_console(path, name);
    } else {
        running_served_console(path, name);
    }
    file = unix_socket_connect(path);
    if (file < 0) {
        fail(EXIT_REFUSED, "the console of %s cannot be reached: %s", name, strerror(errno));
    }
    return file;
}

/* Shows what has come. False: the guest has ended, or it let go of us. */
static bool show(int console)
{
    uint8_t bytes[PIECE];
    ssize_t count = read(console, bytes, sizeof(bytes));

    for (ssize_t done = 0, written; done<count; done += written> 0 ? written : 0) {
        written = write(STDOUT_FILENO, bytes + done, (size_t)(count - done));
        if (written < 0 && errno != EINTR) {
            return false;
        }
    }
    return count > 0 || (count < 0 && errno == EINTR);
}

/* Reads what is typed; that is sent when the guest takes it. */
static void read_keys(struct typing *typing)
{
    ssize_t count = read(STDIN_FILENO, typing->bytes, sizeof(typing->bytes));

    typing->ended = count == 0 || (count < 0 && errno != EINTR);
    typing->first = 0;
    typing->count = count > 0 ? (size_t)count : 0;
    if (typing->raw) {
        typing->count = keys_filter(&typing->keys, typing->bytes, typing->count);
    }
}

static void send_keys(int console, struct typing *typing)
{
    ssize_t sent =
        send(console, typing->bytes + typing->first, typing->count, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent > 0) {
        typing->first += (size_t)sent;
        typing->count -= (size_t)sent;
    }
}

static void stay(int console, struct typing *typing)
{
    while (!typing->keys.leave && !typing->keys.stop) {
        bool wants_keys = typing->count == 0 && !typing->ended;
        struct pollfd wait[] = {
            {wants_keys ? STDIN_FILENO : NOWHERE, POLLIN, 0},
            {console, (short)(POLLIN | (typing->count > 0 ? POLLOUT : 0)), 0},
            {STDOUT_FILENO, 0, 0}, /* tells when nobody reads what we write */
        };

        if (poll(wait, 3, -1) < 0) {
            continue;
        }
        if (wait[2].revents != 0) {
            return;
        }
        if (wait[0].revents != 0) {
            read_keys(typing);
        }
        if ((wait[1].revents & POLLOUT) != 0) {
            send_keys(console, typing);
        }
        if ((wait[1].revents & ~POLLOUT) != 0 && !show(console)) {
            return;
        }
    }
}

int verb_console(const struct request *request)
{
    struct typing typing = {.count = 0};
    struct running guest;
    struct client client;
    bool is_guest = running_find(request->name, &guest);
    int console;

    if (!is_guest && !client_tree_find(request->name, &client)) {
        fail(EXIT_REFUSED, "there is neither a guest %s nor a tenant that is served",
             request->name);
    }
    console = attach(request->name, is_guest);
    signal(SIGPIPE, SIG_IGN);
    typing.raw = terminal_open();
    if (typing.raw) {
        fprintf(stderr, "Console of %s. Ctrl-A d leaves it%s.\r\n", request->name,
                is_guest ? ", Ctrl-A x ends the guest" : "");
    }
    stay(console, &typing);
    if (is_guest && typing.keys.stop) {
        (void)verb_send(&guest, SIGTERM);
    }
    return EXIT_DONE;
}

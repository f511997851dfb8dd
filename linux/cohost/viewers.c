/* SPDX-License-Identifier: BSD-2-Clause */
#include "viewers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unix_socket.h"

#define KEPT 65536
#define NOBODY (-1)
/* At most so much is written at once: a pipe that is ready takes as much without waiting. */
#define PIECE 4096

struct viewer {
    int file; /* NOBODY: this place is free */
    bool attached;
    uint64_t position; /* in all that was ever put out */
};

static struct {
    uint8_t kept[KEPT];
    uint64_t end; /* what was ever put out */
    int socket;
    struct viewer all[VIEWERS_MOST]; /* the first one is the terminal */
} view = {.socket = NOBODY};

/*
 * A terminal that is ready for some bytes makes us wait with more of them, and other programs have
 * the file it is open by: it is opened once more.
 */
static int without_waiting(int own)
{
    char path[32];
    int again = -1;

    if (own >= 0 && isatty(own)) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", own);
        again = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    return again < 0 ? own : again;
}

void viewers_open(const char *path, int own)
{
    for (unsigned i = 0; i < VIEWERS_MOST; i++) {
        view.all[i].file = NOBODY;
    }
    view.all[0].file = without_waiting(own);
    view.socket = unix_socket_listen(path, VIEWERS_MOST);
}

static uint64_t slowest(void)
{
    uint64_t position = view.end;

    for (unsigned i = 0; i < VIEWERS_MOST; i++) {
        if (view.all[i].file != NOBODY && view.all[i].position < position) {
            position = view.all[i].position;
        }
    }
    return position;
}

size_t viewers_put(const uint8_t *bytes, size_t count)
{
    size_t room = KEPT - (size_t)(view.end - slowest());

    if (count > room) {
        count = room;
    }
    for (size_t i = 0; i < count; i++) {
        view.kept[view.end++ % KEPT] = bytes[i];
    }
    return count;
}

bool viewers_behind(void)
{
    return slowest() != view.end;
}

static void drop(struct viewer *viewer)
{
    if (viewer->attached) {
        close(viewer->file);
    }
    viewer->file = NOBODY;
}

static ssize_t write_to(const struct viewer *viewer, const uint8_t *bytes, size_t count)
{
    struct pollfd ready = {.fd = viewer->file, .events = POLLOUT};

    if (viewer->attached) {
        return send(viewer->file, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (poll(&ready, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(viewer->file, bytes, count);
}

static void show(struct viewer *viewer)
{
    while (viewer->file != NOBODY && viewer->position < view.end) {
        size_t first = viewer->position % KEPT, count = view.end - viewer->position;
        ssize_t written;

        count = count < KEPT - first ? count : KEPT - first;
        written = write_to(viewer, view.kept + first, count < PIECE ? count : PIECE);
        if (written > 0) {
            viewer->position += (uint64_t)written;
        } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
            drop(viewer);
        } else {
            return;
        }
    }
}

void viewers_show(void)
{
    for (unsigned i = 0; i < VIEWERS_MOST; i++) {
        show(&view.all[i]);
    }
}

void viewers_drop_slow(void)
{
    for (unsigned i = 0; i < VIEWERS_MOST; i++) {
        if (view.all[i].attached && view.all[i].position < view.end) {
            drop(&view.all[i]);
        }
    }
}

void viewers_prepare(struct pollfd *wait, bool typing)
{
    for (unsigned i = 0; i < VIEWERS_MOST; i++) {
        const struct viewer *viewer = &view.all[i];
        short events = viewer->position < view.end ? POLLOUT : 0;

        events |= typing && viewer->attached ? POLLIN : 0;
        /* A file that is not waited for would tell of its end again and again. */
        wait[i] = (struct pollfd){events == 0 ? NOBODY : viewer->file, events, 0};
    }
    wait[VIEWERS_MOST] = (struct pollfd){view.socket, POLLIN, 0};
}

/* Somebody attaches: there is a place, or not. */
static void accept_viewer(void)
{
    int file = accept4(view.socket, NULL, NULL, SOCK_CLOEXEC);

    for (unsigned i = 1; file >= 0 && i < VIEWERS_MOST; i++) {
        if (view.all[i].file == NOBODY) {
            view.all[i] = (struct viewer){file, true, view.end < KEPT ? 0 : view.end - KEPT};
            return;
        }
    }
    if (file >= 0) {
        close(file);
    }
}

size_t viewers_serve(const struct pollfd *wait, uint8_t *bytes, size_t room)
{
    size_t total = 0;

    for (unsigned i = 0; i < VIEWERS_MOST; i++) {
        ssize_t count;

        if (!view.all[i].attached || wait[i].fd != view.all[i].file ||
            (wait[i].revents & ~POLLOUT) == 0 || total == room) {
            continue;
        }
        count = recv(wait[i].fd, bytes + total, room - total, MSG_DONTWAIT);
        if (count > 0) {
            total += (size_t)count;
        } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
            drop(&view.all[i]);
        }
    }
    if (wait[VIEWERS_MOST].revents != 0) {
        accept_viewer();
    }
    return total;
}

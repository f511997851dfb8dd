/* SPDX-License-Identifier: BSD-2-Clause */
#include "terminal.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;

bool terminal_is_ours(void)
{
    return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void put_back(void)
{
    if (terminal_is_ours()) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    }
}

static void end(int signal)
{
    put_back();
    _exit(128 + signal);
}

bool terminal_open(void)
{
    struct termios raw;

    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0) {
        return false;
    }
    atexit(put_back);
    signal(SIGTERM, end);
    signal(SIGHUP, end);
    if (signal(SIGPIPE, end) == SIG_IGN) {
        signal(SIGPIPE, SIG_IGN);
    }
    raw = before;
    cfmakeraw(&raw);
    raw.c_oflag |= OPOST; /* what we print ourselves has plain line ends */
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

int terminal_read(void *bytes, size_t room, int milliseconds)
{
    struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t count;

    if (poll(&wait, 1, milliseconds) <= 0) {
        return 0;
    }
    count = read(STDIN_FILENO, bytes, room);
    return count > 0 ? (int)count : -1;
}

unsigned terminal_lines(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Port 0 is the kernel's console. For exec, port 1 is the command's standard output and error, and
 * port 2 takes the line "exit CODE" from the script that started it (exec.c).
 */
#include "console.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "ns16550.h"
#include "say.h"
#include "terminal.h"

#define PORTS 3
#define NOWHERE (-1)
#define KEY_ESCAPE 1 /* Ctrl-A */
/* At most so much is written at once: a pipe that is ready takes as much without waiting. */
#define PIECE 4096
/* Keys that wait for a guest that reads none. Those of a terminal beyond are dropped. */
#define KEYS 256

#define COLLECT_NS 1000000

enum { POLL_INPUT, POLL_OUTPUT, POLL_SIGNALS, POLL_END, POLL_COUNT };

static struct {
    struct ns16550 ports[PORTS];
    int files[PORTS]; /* where the output goes */
    unsigned count;
    bool input_ended;
    uint8_t pending[KEYS]; /* read, and the guest has no room for it yet */
    size_t pending_count;
    bool raw;
    bool stop_asked;
    bool escaped; /* Ctrl-A came just now */
    int output_event, signals;
    char line[32];
    size_t line_length;
    int command_code;
} console = {.command_code = -1};

static void add_port(int file)
{
    console.files[console.count] = file;
    ns16550_add(&console.ports[console.count++], console.output_event);
}

static void block(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    sigprocmask(SIG_BLOCK, set, NULL);
}

void console_block_signals(void)
{
    sigset_t set;

    block(&set);
    signal(SIGPIPE, SIG_IGN);
}

/* In the background of a terminal the program must not read from it, or it would be stopped. */
static void open_input(void)
{
    if (!isatty(STDIN_FILENO)) {
        return;
    }
    if (tcgetpgrp(STDIN_FILENO) == getpgrp()) {
        console.raw = terminal_open();
    }
    console.input_ended = !console.raw;
}

void console_add(const struct console_plan *plan)
{
    sigset_t set;

    block(&set);
    console.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    console.output_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (console.signals < 0 || console.output_event < 0) {
        fail_errno("make", "an eventfd");
    }
    add_port(plan->messages);
    if (plan->command) {
        add_port(STDOUT_FILENO);
        add_port(NOWHERE);
        console.input_ended = true; /* the command reads /dev/null */
    } else {
        open_input();
    }
}

void console_reset(void)
{
    for (unsigned i = 0; i < console.count; i++) {
        ns16550_reset(&console.ports[i]);
    }
}

void console_put(uint8_t byte)
{
    ns16550_put(&console.ports[0], byte);
}

int console_command_code(void)
{
    return console.command_code;
}

/* Reads the line "exit CODE" out of what comes on the last port of exec. */
static void read_code(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int code;
        char rest;

        if (bytes[i] != '\n' && console.line_length < sizeof(console.line) - 1) {
            console.line[console.line_length++] = (char)bytes[i];
            continue;
        }
        console.line[console.line_length] = '\0';
        console.line_length = 0;
        if (sscanf(console.line, "exit %d%c", &code, &rest) >= 1 && code >= 0 && code <= 255 &&
            console.command_code < 0) {
            console.command_code = code;
        }
    }
}

/* Returns how many bytes the file took; what a closed one does not take is dropped. */
static size_t write_some(unsigned port, const uint8_t *bytes, size_t count)
{
    struct pollfd ready = {.fd = console.files[port], .events = POLLOUT};
    ssize_t written;

    if (port == PORTS - 1) {
        read_code(bytes, count);
    }
    if (console.files[port] == NOWHERE) {
        return count;
    }
    if (poll(&ready, 1, 0) <= 0) {
        return 0;
    }
    written = write(console.files[port], bytes, count);
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
        console.files[port] = NOWHERE;
        return count;
    }
    return written > 0 ? (size_t)written : 0;
}

/* Writes what the ports have. Returns a file that has to be waited for, or NOWHERE. */
static int write_output(void)
{
    uint8_t bytes[PIECE];

    for (unsigned i = 0; i < console.count; i++) {
        size_t count;

        while ((count = ns16550_output(&console.ports[i], bytes, sizeof(bytes))) > 0) {
            size_t written = write_some(i, bytes, count);

            if (written == 0) {
                return console.files[i];
            }
            ns16550_sent(&console.ports[i], written);
        }
    }
    return NOWHERE;
}

/* Ctrl-A x ends the guest, Ctrl-A Ctrl-A is Ctrl-A; returns the bytes that are for the guest. */
static size_t take_escapes(uint8_t *bytes, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (!console.escaped && bytes[i] == KEY_ESCAPE) {
            console.escaped = true;
            continue;
        }
        if (console.escaped && bytes[i] == 'x') {
            guest_end(GUEST_STOPPED);
        }
        if (!console.escaped || bytes[i] == KEY_ESCAPE) {
            bytes[kept++] = bytes[i];
        }
        console.escaped = false;
    }
    return kept;
}

static void read_input(void)
{
    uint8_t bytes[KEYS];
    ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
    size_t kept;

    if (count <= 0) {
        console.input_ended = count == 0 || (errno != EINTR && errno != EAGAIN);
        return;
    }
    kept = console.raw ? take_escapes(bytes, (size_t)count) : (size_t)count;
    if (kept > sizeof(console.pending) - console.pending_count) {
        kept = sizeof(console.pending) - console.pending_count;
    }
    memcpy(console.pending + console.pending_count, bytes, kept);
    console.pending_count += kept;
}

/* Gives the guest what it has room for. */
static void pass_input(void)
{
    size_t room = ns16550_room(&console.ports[0]);
    size_t count = room < console.pending_count ? room : console.pending_count;

    if (count > 0) {
        count = ns16550_receive(&console.ports[0], console.pending, count);
        console.pending_count -= count;
        memmove(console.pending, console.pending + count, console.pending_count);
    }
}

/* Lets the guest write more of a line before what it wrote is taken on. */
static void collect_output(void)
{
    const struct timespec pause = {0, COLLECT_NS};

    nanosleep(&pause, NULL);
}

static void clear(int event)
{
    uint64_t count;

    (void)!read(event, &count, sizeof(count));
}

/* A terminal's keys are always read, for Ctrl-A x; another input when the guest has taken it. */
static bool wants_input(void)
{
    return !console.input_ended && (console.raw || console.pending_count == 0);
}

bool console_stop_asked(void)
{
    struct signalfd_siginfo signal;

    if (read(console.signals, &signal, sizeof(signal)) == sizeof(signal)) {
        console.stop_asked = true;
    }
    return console.stop_asked;
}

/* Waits for something to do; `blocked`: the file that takes no more output. */
static void wait_for_work(int blocked)
{
    struct pollfd wait[POLL_COUNT + 1] = {
        [POLL_INPUT] = {wants_input() ? STDIN_FILENO : -1, POLLIN, 0},
        [POLL_OUTPUT] = {console.output_event, POLLIN, 0},
        [POLL_SIGNALS] = {console.signals, POLLIN, 0},
        [POLL_END] = {guest_end_event(), POLLIN, 0},
        [POLL_COUNT] = {blocked, POLLOUT, 0},
    };

    if (poll(wait, POLL_COUNT + 1, -1) < 0) {
        return;
    }
    if (wait[POLL_OUTPUT].revents != 0) {
        clear(console.output_event);
        collect_output();
    }
    if (wait[POLL_SIGNALS].revents != 0 && console_stop_asked()) {
        guest_end(GUEST_STOPPED);
    }
    if (wait[POLL_INPUT].revents != 0) {
        read_input();
    }
    pass_input();
}

/* What the guest wrote last; a file that takes nothing is waited for, unless we are to end. */
static void write_rest(void)
{
    int blocked;

    while ((blocked = write_output()) != NOWHERE) {
        struct pollfd wait[] = {{blocked, POLLOUT, 0}, {console.signals, POLLIN, 0}};

        if (guest_state() == GUEST_STOPPED || poll(wait, 2, -1) < 0 || wait[1].revents != 0) {
            return;
        }
    }
}

void console_serve(void)
{
    while (guest_state() == GUEST_RUNS) {
        wait_for_work(write_output());
    }
    for (unsigned i = 0; i < console.count; i++) {
        ns16550_close(&console.ports[i]);
    }
    guest_join();
    write_rest();
}

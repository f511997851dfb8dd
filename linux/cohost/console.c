/* SPDX-License-Identifier: BSD-2-Clause */
/* The first port is the kernel's console. */
#include "console.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "command_ports.h"
#include "guest.h"
#include "input.h"
#include "keys.h"
#include "ns16550.h"
#include "power_keys.h"
#include "save_port.h"
#include "say.h"
#include "terminal.h"
#include "viewers.h"

#define NOWHERE (-1)
#define PIECE 4096
#define COLLECT_NS 1000000
/* How long who is attached has for what the guest wrote last. */
#define PATIENCE_MS 2000

enum { POLL_KEYS, POLL_OUTPUT, POLL_SIGNALS, POLL_END, POLL_COMMAND };
enum { POLL_VIEWERS = POLL_COMMAND + COMMAND_POLLS, POLL_SAVE = POLL_VIEWERS + VIEWERS_POLLS };
enum { POLL_ATTACH = POLL_VIEWERS + VIEWERS_MOST, POLL_COUNT = POLL_SAVE + SAVE_POLLS };

static struct {
    struct ns16550 port;
    struct input input;
    struct keys keys;
    bool input_ended; /* of our own terminal or file */
    bool raw;         /* it is a terminal whose keys come one by one */
    bool stop_asked;
    int output_event, signals;
} console;

static void block(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGCONT);
    sigaddset(set, SIGPWR);
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
    if (terminal_is_ours()) {
        console.raw = terminal_open();
    }
    console.input_ended = !console.raw;
}

/* A process that was paused is in the background when it is resumed, until the shell's `fg`. */
static bool may_read(void)
{
    return !console.input_ended && (!console.raw || terminal_is_ours());
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
    viewers_open(plan->socket, plan->messages);
    save_port_open(plan->save_socket, plan->presses);
    ns16550_add(&console.port, console.output_event);
    console.input.port = &console.port;
    console.input_ended = plan->command; /* the command reads it */
    if (plan->command) {
        command_ports_add(console.output_event);
    } else {
        open_input();
    }
}

void console_reset(void)
{
    ns16550_reset(&console.port);
    command_ports_reset();
}

struct ns16550 *console_port(void)
{
    return &console.port;
}

void console_put(uint8_t byte)
{
    ns16550_put(&console.port, byte);
}

/*
 * Moves what can be moved without waiting. If the guest has more output then, a viewer is behind,
 * and is waited for: the guest tells only of the first byte.
 */
static void move(void)
{
    uint8_t bytes[PIECE];
    size_t count, taken;

    do {
        viewers_show();
        count = ns16550_output(&console.port, bytes, sizeof(bytes));
        taken = viewers_put(bytes, count);
        ns16550_sent(&console.port, taken);
    } while (taken > 0);
    input_pass(&console.input);
    command_ports_serve();
}

static bool is_behind(void)
{
    return viewers_behind() || command_ports_behind();
}

/*
 * Wakes a guest that has suspended itself. Not one that is in a file now: what it did would be on
 * its disks, and not in the file.
 */
static void wake(void)
{
    if (!save_port_has_saved()) {
        guest_wake();
    }
}

/* A key wakes it. */
static void type(const uint8_t *bytes, size_t count)
{
    input_add(&console.input, bytes, count);
    if (count > 0) {
        wake();
    }
}

static void read_keys(void)
{
    uint8_t bytes[PIECE];
    size_t room = input_room(&console.input), most = console.raw ? sizeof(bytes) : room;
    ssize_t count = read(STDIN_FILENO, bytes, most < sizeof(bytes) ? most : sizeof(bytes));
    size_t kept;

    if (count <= 0) {
        console.input_ended = count == 0 || (errno != EINTR && errno != EAGAIN);
        return;
    }
    kept = console.raw ? keys_filter(&console.keys, bytes, (size_t)count) : (size_t)count;
    type(bytes, kept);
    if (console.keys.stop) {
        guest_end(GUEST_STOPPED);
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

/* A key that no driver takes is lost: who wants the guest to power off asks again. */
static void take_signal(uint32_t number)
{
    switch (number) {
    case SIGPWR:
        (void)power_keys_press_power();
        break;
    case SIGCONT:
        if (!console.stop_asked) { /* `stop` sends it, too */
            wake();
        }
        break;
    default:
        console.stop_asked = true;
        break;
    }
}

bool console_stop_asked(void)
{
    struct signalfd_siginfo signal;

    while (read(console.signals, &signal, sizeof(signal)) == sizeof(signal)) {
        take_signal(signal.ssi_signo);
    }
    return console.stop_asked;
}

/*
 * A terminal's keys are always read, for Ctrl-A x, and dropped where a guest reads none; all else
 * waits until the guest has room.
 */
static void prepare(struct pollfd *wait)
{
    bool typing = input_room(&console.input) > 0;
    bool keys = may_read() && (console.raw || typing);

    wait[POLL_KEYS] = (struct pollfd){keys ? STDIN_FILENO : NOWHERE, POLLIN, 0};
    wait[POLL_OUTPUT] = (struct pollfd){console.output_event, POLLIN, 0};
    wait[POLL_SIGNALS] = (struct pollfd){console.signals, POLLIN, 0};
    wait[POLL_END] = (struct pollfd){guest_end_event(), POLLIN, 0};
    command_ports_prepare(&wait[POLL_COMMAND]);
    viewers_prepare(&wait[POLL_VIEWERS], typing);
    save_port_prepare(&wait[POLL_SAVE]);
}

static void wait_for_work(void)
{
    struct pollfd wait[POLL_COUNT];
    uint8_t typed[PIECE];
    size_t room, count;

    prepare(wait);
    if (poll(wait, POLL_COUNT, save_port_patience()) < 0) {
        return;
    }
    if (wait[POLL_OUTPUT].revents != 0) {
        clear(console.output_event);
        collect_output();
    }
    if (wait[POLL_SIGNALS].revents != 0 && console_stop_asked()) {
        guest_end(GUEST_STOPPED);
    }
    if (wait[POLL_KEYS].revents != 0 && may_read()) {
        read_keys();
    }
    save_port_serve(&wait[POLL_SAVE]);
    room = input_room(&console.input);
    count = viewers_serve(&wait[POLL_VIEWERS], typed, room < sizeof(typed) ? room : sizeof(typed));
    type(typed, count);
}

/*
 * What the guest wrote last; a file that takes nothing is waited for, unless we are to end. Who is
 * attached and takes nothing is not.
 */
static void write_rest(void)
{
    struct pollfd wait[POLL_COUNT];

    for (move(); is_behind() && guest_state() != GUEST_STOPPED; move()) {
        prepare(wait);
        viewers_prepare(&wait[POLL_VIEWERS], false);
        wait[POLL_KEYS].fd = wait[POLL_OUTPUT].fd = wait[POLL_ATTACH].fd = NOWHERE;
        if (poll(wait, POLL_SAVE, PATIENCE_MS) == 0) {
            viewers_drop_slow();
        }
        if (wait[POLL_SIGNALS].revents != 0 && console_stop_asked()) {
            return;
        }
    }
}

void console_serve(void)
{
    for (move(); guest_state() == GUEST_RUNS; move()) {
        wait_for_work();
    }
    ns16550_close(&console.port);
    command_ports_close();
    guest_join();
    write_rest();
}

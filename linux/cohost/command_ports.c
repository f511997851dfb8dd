/* SPDX-License-Identifier: BSD-2-Clause */
#include "command_ports.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "line_input.h"
#include "ns16550.h"

#define NOWHERE (-1)
#define PIECE 4096 /* see viewers.c */

enum { PORT_COMMAND, PORT_LINES, PORT_ERRORS, PORT_COUNT };
enum { POLL_INPUT = PORT_COUNT - 1, POLL_OUTPUT = 0, POLL_ERRORS = 1 };

static struct {
    bool present;
    struct ns16550 ports[PORT_COUNT];
    int files[PORT_COUNT]; /* where the output goes */
    bool blocked[PORT_COUNT];
    struct input input;
    bool ready;       /* the guest has said so: what is typed now is not lost */
    bool input_ended; /* and the guest has been told */
    char line[32];
    size_t line_length;
    int code;
} command = {
    .files = {STDOUT_FILENO, NOWHERE, STDERR_FILENO},
    .code = -1,
};

void command_ports_add(int output_event)
{
    command.present = true;
    command.input.port = &command.ports[PORT_COMMAND];
    command.ports[PORT_COMMAND].waits_for_rts = true;
    for (unsigned i = 0; i < PORT_COUNT; i++) {
        ns16550_add(&command.ports[i], output_event);
    }
}

void command_ports_reset(void)
{
    for (unsigned i = 0; command.present && i < PORT_COUNT; i++) {
        ns16550_reset(&command.ports[i]);
    }
}

void command_ports_close(void)
{
    for (unsigned i = 0; command.present && i < PORT_COUNT; i++) {
        ns16550_close(&command.ports[i]);
    }
}

int command_ports_code(void)
{
    return command.code;
}

/* "ready" or "exit CODE". */
static void take_line(const char *line)
{
    int code;
    char rest;

    if (strcmp(line, "ready") == 0) {
        command.ready = true;
    } else if (sscanf(line, "exit %d%c", &code, &rest) == 1 && code >= 0 && code <= 255 &&
               command.code < 0) {
        command.code = code;
    }
}

static void take_lines(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\r') {
            continue; /* of a terminal's line ends */
        }
        if (bytes[i] != '\n' && command.line_length < sizeof(command.line) - 1) {
            command.line[command.line_length++] = (char)bytes[i];
            continue;
        }
        command.line[command.line_length] = '\0';
        command.line_length = 0;
        take_line(command.line);
    }
}

/* Returns how many bytes the file took; what a closed one does not take is dropped. */
static size_t write_some(unsigned port, const uint8_t *bytes, size_t count)
{
    struct pollfd ready = {.fd = command.files[port], .events = POLLOUT};
    ssize_t written;

    if (port == PORT_LINES) {
        take_lines(bytes, count);
    }
    if (command.files[port] == NOWHERE) {
        return count;
    }
    if (poll(&ready, 1, 0) <= 0) {
        return 0;
    }
    written = write(command.files[port], bytes, count);
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
        command.files[port] = NOWHERE;
        return count;
    }
    return written > 0 ? (size_t)written : 0;
}

static void write_output(unsigned port)
{
    uint8_t bytes[PIECE];
    size_t count;

    command.blocked[port] = false;
    while (!command.blocked[port] &&
           (count = ns16550_output(&command.ports[port], bytes, sizeof(bytes))) > 0) {
        size_t written = write_some(port, bytes, count);

        command.blocked[port] = written == 0;
        ns16550_sent(&command.ports[port], written);
    }
}

/* In the background of a terminal the program must not read from it, or it would be stopped. */
static bool may_read(void)
{
    return !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static bool wants_input(void)
{
    return command.present && command.ready && !command.input_ended && may_read() &&
           input_room(&command.input) >= LINE_INPUT_MOST;
}

static void end_input(void)
{
    const uint8_t key = line_input_end();

    input_add(&command.input, &key, sizeof(key));
    command.input_ended = true;
}

static void read_input(void)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    uint8_t bytes[LINE_INPUT_PIECE], keys[LINE_INPUT_MOST];
    ssize_t count;

    if (!wants_input() || poll(&ready, 1, 0) <= 0) {
        return;
    }
    count = read(STDIN_FILENO, bytes, sizeof(bytes));
    if (count > 0) {
        input_add(&command.input, keys, line_input_encode(bytes, (size_t)count, keys));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        end_input();
    }
}

void command_ports_serve(void)
{
    if (!command.present) {
        return;
    }
    for (unsigned i = 0; i < PORT_COUNT; i++) {
        write_output(i);
    }
    if (command.ready && !command.input_ended && !may_read()) {
        end_input();
    }
    read_input();
    input_pass(&command.input);
}

bool command_ports_behind(void)
{
    return command.blocked[PORT_COMMAND] || command.blocked[PORT_ERRORS];
}

void command_ports_prepare(struct pollfd *wait)
{
    wait[POLL_INPUT] = (struct pollfd){wants_input() ? STDIN_FILENO : NOWHERE, POLLIN, 0};
    wait[POLL_OUTPUT] = (struct pollfd){
        command.blocked[PORT_COMMAND] ? command.files[PORT_COMMAND] : NOWHERE, POLLOUT, 0};
    wait[POLL_ERRORS] = (struct pollfd){
        command.blocked[PORT_ERRORS] ? command.files[PORT_ERRORS] : NOWHERE, POLLOUT, 0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's serial ports, and who is at their other ends. */
#ifndef COHOST_CONSOLE_H
#define COHOST_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

struct console_plan {
    /* The command of exec has ports of its own. */
    bool command;
    /* Where the kernel's messages go; -1: only to those who attach. */
    int messages;
    /* Where one attaches. */
    const char *socket;
    /* Where the guest can be saved from; NULL: nowhere. */
    const char *save_socket;
    uint32_t presses; /* see save_port_open */
};

/* Puts the ports on the bus. */
void console_add(const struct console_plan *plan);

/* Before each start of the guest. */
void console_reset(void);

/* The first port of a guest that is saved. */
struct ns16550 *console_port(void);

/* Serves the ports and takes signals until the guest has ended, and all that it wrote is out. */
void console_serve(void);

/* Blocks the signals that console_serve takes; before threads are made. */
void console_block_signals(void);

/* Tells whether a signal has come that ends the guest. */
bool console_stop_asked(void);

/* A byte for the first port's output. */
void console_put(uint8_t byte);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The serial ports of exec beside the kernel's console: ttyS1 is the command's standard input and
 * output, ttyS2 takes lines from the script that starts it (exec.c), ttyS3 is its standard error.
 */
#ifndef COHOST_COMMAND_PORTS_H
#define COHOST_COMMAND_PORTS_H

#include <poll.h>
#include <stdbool.h>

/* What command_ports_prepare fills in. */
#define COMMAND_POLLS 3

/* Puts them on the bus. `output_event`: an eventfd, see ns16550.h. */
void command_ports_add(int output_event);

/* Before each start of the guest, and after its end. */
void command_ports_reset(void);
void command_ports_close(void);

/* Moves what can be moved without waiting, in both directions. */
void command_ports_serve(void);

/* Whether there is output that has to be waited for. */
bool command_ports_behind(void);

/* Fills in what has to be waited for. */
void command_ports_prepare(struct pollfd *wait);

/* The exit code of the command, -1: it has not ended. */
int command_ports_code(void);

#endif

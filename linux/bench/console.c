/* SPDX-License-Identifier: BSD-2-Clause */
/* What a byte on the console costs, until it has left the UART. */
#include "bench.h"

#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static int terminal;

/* A round is a byte; lines are as long as those of a kernel's log. */
static void print_bytes(unsigned rounds)
{
    char line[64];

    memset(line, '-', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\n';
    while (rounds > 0) {
        size_t size = rounds < sizeof(line) ? rounds : sizeof(line);

        if (write(terminal, line, size) != (ssize_t)size)
            give_up("console");
        rounds -= (unsigned)size;
    }
    tcdrain(terminal);
}

void measure_console(unsigned scale)
{
    terminal = open("/dev/ttyS0", O_WRONLY | O_NOCTTY);
    if (terminal < 0)
        give_up("/dev/ttyS0");
    measure("console", print_bytes, 640 * scale);
    close(terminal);
}

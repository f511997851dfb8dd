/* SPDX-License-Identifier: BSD-2-Clause */
/* What output to the console costs, and how long it takes. */
#include "bench.h"

#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Less than the kernel's buffer of a UART holds, so that no write waits. */
#define BYTES_OF_SCALE 640
#define MOST_BYTES 3200
/* Longer than the bytes take to leave. */
#define WORK_OF_SCALE 5

static char text[MOST_BYTES];

/* Lines are as long as those of a kernel's log. */
static void make_text(void)
{
    memset(text, '-', sizeof(text));
    for (unsigned end = 63; end < sizeof(text); end += 64)
        text[end] = '\n';
}

/* Nanoseconds that printing takes, with work of the hart while the bytes leave. */
static uint64_t print_and_work(int terminal, unsigned bytes, unsigned rounds)
{
    uint64_t start = now_ns();

    if (write(terminal, text, bytes) != (ssize_t)bytes)
        give_up("console");
    compute(rounds);
    tcdrain(terminal);
    return now_ns() - start;
}

/*
 * The UART's interrupts and whatever the firmware does for it are taken from the work, so what the
 * work takes longer is the cost. Without work the hart waits for the line.
 */
void measure_console(unsigned scale)
{
    unsigned size = BYTES_OF_SCALE * scale;
    unsigned work = WORK_OF_SCALE * scale;
    int terminal = open("/dev/ttyS0", O_WRONLY | O_NOCTTY);
    uint64_t alone;
    uint64_t cost;
    uint64_t time;

    if (terminal < 0)
        give_up("/dev/ttyS0");
    make_text();
    size = size < MOST_BYTES ? size : MOST_BYTES;
    print_and_work(terminal, size, work);
    alone = print_and_work(terminal, 0, work);
    cost = print_and_work(terminal, size, work) - alone;
    time = print_and_work(terminal, size, 0);
    keep_result("console", size, cost, cost, cost);
    keep_result("console_time", size, time, time, time);
    close(terminal);
}

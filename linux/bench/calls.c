/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls, the vDSO's clock, signals, and the hart alone. */
#include "bench.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOPS_OF_A_ROUND 5000000UL

void compute(unsigned rounds)
{
    while (rounds-- > 0) {
        unsigned long left = LOOPS_OF_A_ROUND;

        __asm__ volatile("1: addi %0, %0, -1\n"
                         "   bnez %0, 1b"
                         : "+r"(left));
    }
}

static void call_kernel(unsigned rounds)
{
    while (rounds-- > 0)
        syscall(SYS_getppid);
}

static void read_clock(unsigned rounds)
{
    struct timespec now;

    while (rounds-- > 0)
        clock_gettime(CLOCK_MONOTONIC, &now);
}

static void ignore_signal(int number)
{
    (void)number;
}

static void raise_signal(unsigned rounds)
{
    while (rounds-- > 0)
        kill(getpid(), SIGUSR1);
}

void measure_calls(unsigned scale)
{
    struct sigaction action = {.sa_handler = ignore_signal};

    measure("cpu", compute, 10 * scale);
    measure("syscall", call_kernel, 20000 * scale);
    measure("clock", read_clock, 20000 * scale);
    if (sigaction(SIGUSR1, &action, NULL) != 0)
        give_up("sigaction");
    measure("signal", raise_signal, 5000 * scale);
}

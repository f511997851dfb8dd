/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timed COMMAND...: runs a command that suspends the system, and tells when it was asked for, when
 * this program last ran before the system stood still, and when it first ran afterwards, in ticks
 * of the machine's `time`, which all operating systems of the machine see:
 *
 *   timed: asked=100200300 last=100201400 first=100701400
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Ticks. Nothing but a suspend keeps it from running for so long, it looks every millisecond. */
#define STILL 1000000
#define PAUSE_NS 1000000

static uint64_t machine_time(void)
{
    uint64_t ticks;

    __asm__ volatile("rdtime %0" : "=r"(ticks)::"memory");
    return ticks;
}

int main(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint64_t asked = machine_time();
    uint64_t last;
    uint64_t now;

    if (argc < 2) {
        fprintf(stderr, "usage: timed COMMAND...\n");
        return 2;
    }
    if (fork() == 0) {
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    now = machine_time();
    do {
        last = now;
        nanosleep(&pause, NULL);
        now = machine_time();
    } while (now - last < STILL);
    printf("timed: asked=%llu last=%llu first=%llu\n", (unsigned long long)asked,
           (unsigned long long)last, (unsigned long long)now);
    return 0;
}

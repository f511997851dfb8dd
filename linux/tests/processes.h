/* SPDX-License-Identifier: BSD-2-Clause */
/* The main program of those that keep values in registers, in several processes at once. */
#ifndef COTENANT_LINUX_TESTS_PROCESSES_H
#define COTENANT_LINUX_TESTS_PROCESSES_H

#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

#define PROCESSES 3

/*
 * NAME SECONDS [SEED]: calls `run` in each process, with a seed of its own, of which the remainder
 * by PROCESSES is the number of the process, and the moment at which to end. `run` returns the exit
 * status of the process. Returns that of the program.
 */
static inline int run_processes(const char *name, int argc, char **argv,
                                int (*run)(uint64_t seed, int64_t deadline))
{
    uint64_t seed;
    int64_t deadline;
    int failed = 0;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: %s SECONDS [SEED]\n", name);
        return 2;
    }
    seed = argc == 3 ? parse_number(argv[2]) : 1;
    deadline = deadline_after(argv[1]);
    for (uint64_t process = 0; process < PROCESSES; process++) {
        pid_t child = fork();

        if (child < 0)
            give_up("fork");
        if (child == 0)
            exit(run(seed * PROCESSES + process, deadline));
    }
    for (int process = 0; process < PROCESSES; process++) {
        int status;

        if (wait(&status) < 0)
            give_up("wait");
        failed |= status;
    }
    printf("%s: %s\n", name, failed != 0 ? "FAILED" : "ok");
    return failed != 0;
}

#endif

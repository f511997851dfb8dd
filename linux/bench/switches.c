/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipe within a process, and between two that take turns: a round there is two switches. */
#include "bench.h"

#include <sys/wait.h>
#include <unistd.h>

static int ours[2];
static int theirs[2];

static void pass(int from, int to)
{
    char byte = 0;

    if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
        give_up("pipe");
}

static void pass_to_self(unsigned rounds)
{
    while (rounds-- > 0)
        pass(ours[0], ours[1]);
}

static void pass_to_child(unsigned rounds)
{
    while (rounds-- > 0)
        pass(ours[0], theirs[1]);
}

/* Sends back what comes until the pipe is closed. */
static _Noreturn void answer(void)
{
    char byte;

    close(theirs[1]);
    while (read(theirs[0], &byte, 1) == 1) {
        if (write(ours[1], &byte, 1) != 1)
            _exit(1);
    }
    _exit(0);
}

void measure_switches(unsigned scale)
{
    pid_t child;

    if (pipe(ours) != 0 || pipe(theirs) != 0)
        give_up("pipe");
    measure("pipe", pass_to_self, 5000 * scale);
    child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0)
        answer();
    measure("switch", pass_to_child, 2000 * scale);
    close(theirs[1]);
    waitpid(child, NULL, 0);
    close(theirs[0]);
    close(ours[0]);
    close(ours[1]);
}

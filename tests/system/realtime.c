/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * realtime PRIORITY THREAD...: makes threads of Linux real-time ones (SCHED_FIFO) of a priority, as
 * chrt does; with 0 they are usual ones again.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct sched_param parameter = {0};

    if (argc < 3) {
        fprintf(stderr, "usage: realtime PRIORITY THREAD...\n");
        return 2;
    }
    parameter.sched_priority = (int)strtol(argv[1], NULL, 10);
    for (int i = 2; i < argc; i++) {
        int policy = parameter.sched_priority == 0 ? SCHED_OTHER : SCHED_FIFO;

        if (sched_setscheduler((pid_t)strtol(argv[i], NULL, 10), policy, &parameter) != 0) {
            perror(argv[i]);
            return 1;
        }
    }
    return 0;
}

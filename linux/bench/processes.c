/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and threads that come and go. */
#include "bench.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for(pid_t child)
{
    int status;

    if (child < 0 || waitpid(child, &status, 0) != child)
        give_up("fork or wait");
    errno = ECHILD;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        give_up("a child failed");
}

static void fork_and_exit(unsigned rounds)
{
    while (rounds-- > 0) {
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        wait_for(child);
    }
}

/* The program is this one, which does nothing when it is told so. */
static void fork_and_execute(unsigned rounds)
{
    while (rounds-- > 0) {
        pid_t child = fork();

        if (child == 0) {
            execl("/proc/self/exe", "linux-bench", "nothing", (char *)NULL);
            _exit(1);
        }
        wait_for(child);
    }
}

static void *end_thread(void *argument)
{
    return argument;
}

static void start_thread(unsigned rounds)
{
    pthread_t thread;

    while (rounds-- > 0) {
        errno = pthread_create(&thread, NULL, end_thread, NULL);
        if (errno != 0)
            give_up("pthread_create");
        pthread_join(thread, NULL);
    }
}

void measure_processes(unsigned scale)
{
    measure("fork_exit", fork_and_exit, 100 * scale);
    measure("fork_exec", fork_and_execute, 40 * scale);
    measure("thread", start_thread, 200 * scale);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linux-bench: measures the Linux it runs in.
 *
 *   linux-bench boot                  how long it took to come here: since the reset, of it idle,
 *                                     and by the kernel's own clock
 *   linux-bench micro SCALE           the kernel's services, each by itself
 *   linux-bench console SCALE         output to the console
 *   linux-bench run NAME PROGRAM...   another program, from its fork to its end, without idle time
 *   linux-bench nothing               ends at once
 *
 * The lines it prints are `bench: NAME ROUNDS LEAST MEDIAN MOST`, in nanoseconds for all rounds.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The rounds that every group is designed for, at most: 100 times those of scale 1. */
#define LARGEST_SCALE 100

static void keep_one(const char *name, uint64_t value)
{
    keep_result(name, 1, value, value, value);
}

static void report_boot(void)
{
    struct timespec clock;
    uint64_t since_reset = now_ns();
    uint64_t idle = idle_ns();

    if (clock_gettime(CLOCK_MONOTONIC, &clock) != 0)
        give_up("clock_gettime");
    keep_one("boot", since_reset);
    keep_one("boot_idle", idle);
    keep_one("boot_kernel", (uint64_t)clock.tv_sec * 1000000000U + (uint64_t)clock.tv_nsec);
}

/* Its output would only measure the console. */
static _Noreturn void execute_quietly(char **arguments)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        _exit(1);
    execvp(arguments[0], arguments);
    give_up(arguments[0]);
}

static void run_program(const char *name, char **arguments)
{
    uint64_t idle = idle_ns();
    uint64_t start = now_ns();
    uint64_t duration;
    int status;
    pid_t child = fork();

    if (child == 0)
        execute_quietly(arguments);
    if (child < 0 || waitpid(child, &status, 0) != child)
        give_up(arguments[0]);
    duration = now_ns() - start;
    errno = ECHILD;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        give_up(arguments[0]);
    keep_one(name, duration - (idle_ns() - idle));
}

static unsigned parse_scale(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    errno = EINVAL;
    if (*text == '\0' || *end != '\0' || value == 0 || value > LARGEST_SCALE)
        give_up(text);
    return (unsigned)value;
}

static void measure_all(unsigned scale)
{
    measure_calls(scale);
    measure_memory(scale);
    measure_processes(scale);
    measure_switches(scale);
    measure_timers(scale);
    measure_interrupts(scale);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "boot") == 0 && argc == 2) {
        report_boot();
    } else if (strcmp(what, "micro") == 0 && argc == 3) {
        measure_all(parse_scale(argv[2]));
    } else if (strcmp(what, "console") == 0 && argc == 3) {
        measure_console(parse_scale(argv[2]));
    } else if (strcmp(what, "run") == 0 && argc > 3) {
        run_program(argv[2], argv + 3);
    } else if (strcmp(what, "nothing") != 0) {
        fprintf(stderr, "usage: linux-bench boot | micro SCALE | console SCALE |"
                        " run NAME PROGRAM... | nothing\n");
        return 2;
    }
    print_results();
    return 0;
}

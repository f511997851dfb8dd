/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linux-bench: measures the Linux it runs in.
 *
 *   linux-bench boot                  how long it took from the reset until the kernel's clock
 *                                     started, from then to init, and all of it
 *   linux-bench micro SCALE           the kernel's services, each by itself
 *   linux-bench console SCALE         output to the console
 *   linux-bench device ADDRESS        loads of a device's register
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
#include <sys/klog.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The rounds that every group is designed for, at most: 100 times those of scale 1. */
#define LARGEST_SCALE 100
#define LOG_SIZE (1 << 18)
#define NS_PER_SECOND 1000000000ULL
/* Of syslog(2), which glibc's header does not name. */
#define SYSLOG_ACTION_READ_ALL 3

static void keep_one(const char *name, uint64_t value)
{
    keep_result(name, 1, value, value, value);
}

/*
 * Nanoseconds of the kernel's clock at which it started init, out of its log. What it does in the
 * background from then on shares the hart with init.
 */
static uint64_t init_started_ns(void)
{
    static char log[LOG_SIZE];
    int size = klogctl(SYSLOG_ACTION_READ_ALL, log, LOG_SIZE - 1);
    unsigned long long seconds;
    unsigned long long microseconds;
    char *found;

    if (size < 0)
        give_up("klogctl");
    found = strstr(log, "] Run /init as init process");
    while (found && found > log && *found != '[')
        found--;
    errno = ENOMSG;
    if (!found || sscanf(found, "[ %llu.%llu]", &seconds, &microseconds) != 2)
        give_up("the kernel's log does not tell when init was started");
    return seconds * NS_PER_SECOND + microseconds * 1000U;
}

static void report_boot(void)
{
    struct timespec clock;
    uint64_t since_reset = now_ns();
    uint64_t kernel = init_started_ns();
    uint64_t clock_started;

    if (clock_gettime(CLOCK_MONOTONIC, &clock) != 0)
        give_up("clock_gettime");
    clock_started = since_reset - (uint64_t)clock.tv_sec * NS_PER_SECOND - (uint64_t)clock.tv_nsec;
    keep_one("boot_firmware", clock_started);
    keep_one("boot_kernel", kernel);
    keep_one("boot", clock_started + kernel);
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
    } else if (strcmp(what, "device") == 0 && argc == 3) {
        measure_device(argv[2], 1000);
    } else if (strcmp(what, "run") == 0 && argc > 3) {
        run_program(argv[2], argv + 3);
    } else if (strcmp(what, "nothing") != 0) {
        fprintf(stderr, "usage: linux-bench boot | micro SCALE | console SCALE | device ADDRESS |"
                        " run NAME PROGRAM... | nothing\n");
        return 2;
    }
    print_results();
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suspendcheck ROUNDS [DIRECTORY [ADDRESS]]: suspends the system to RAM so many times, and looks
 * each time whether all is as it was: a counter and some memory with a checksum, a file in
 * DIRECTORY that was written before, the monotonic clock and the wall clock, and, by a ping, the
 * network with ADDRESS in it. Prints a line for each round:
 *
 *   suspendcheck: round=3 away_ms=1250 began=100200300 ended=100201400
 *
 * `away_ms` is what the real-time clock says; `began` and `ended` are the machine's `time` before
 * and after the suspend, in ticks. Status 1, with a sentence, when something is wrong.
 */
#include "common.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_WORDS (128 * 1024)
/* The real-time clock counts seconds, and is read twice. */
#define CLOCK_TOLERANCE_S 2

static uint64_t memory[MEMORY_WORDS];

static _Noreturn void wrong(unsigned long round, const char *what)
{
    printf("suspendcheck: round=%lu wrong: %s\n", round, what);
    exit(1);
}

static uint64_t checksum(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < MEMORY_WORDS; i++)
        sum = (sum ^ memory[i]) * 0x100000001b3u;
    return sum;
}

static void fill(uint64_t seed)
{
    for (size_t i = 0; i < MEMORY_WORDS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memory[i] = seed;
    }
}

static long read_number(const char *path)
{
    FILE *file = fopen(path, "r");
    long value;

    if (file == NULL || fscanf(file, "%ld", &value) != 1)
        give_up(path);
    fclose(file);
    return value;
}

static void write_file(const char *path, unsigned long round)
{
    FILE *file = fopen(path, "w");

    if (file == NULL || fprintf(file, "%lu\n", round) < 0 || fflush(file) != 0 ||
        fsync(fileno(file)) != 0 || fclose(file) != 0)
        give_up(path);
}

/* A refused suspend, such as EBUSY, is not ours to judge: it is told by its name. */
static void suspend(void)
{
    int file = open("/sys/power/state", O_WRONLY | O_CLOEXEC);

    if (file < 0 || write(file, "mem", 3) != 3)
        give_up("/sys/power/state");
    close(file);
}

static int answers(const char *address)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);

        dup2(null, STDOUT_FILENO);
        execlp("ping", "ping", "-c", "1", "-W", "5", address, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static long clock_error(void)
{
    long difference = read_number("/sys/class/rtc/rtc0/since_epoch") - time(NULL);

    return difference < 0 ? -difference : difference;
}

static uint64_t machine_time(void)
{
    uint64_t ticks;

    __asm__ volatile("rdtime %0" : "=r"(ticks)::"memory");
    return ticks;
}

static void do_round(unsigned long round, const char *path, const char *address)
{
    struct timespec before;
    struct timespec after;
    int64_t monotonic = now_ns();
    uint64_t began;
    uint64_t ended;
    uint64_t sum;

    fill(round);
    sum = checksum();
    if (path != NULL)
        write_file(path, round);
    clock_gettime(CLOCK_BOOTTIME, &before);
    began = machine_time();
    suspend();
    ended = machine_time();
    clock_gettime(CLOCK_BOOTTIME, &after);
    if (checksum() != sum)
        wrong(round, "memory has changed");
    if (path != NULL && read_number(path) != (long)round)
        wrong(round, "the file has changed");
    if (now_ns() < monotonic)
        wrong(round, "the monotonic clock went back");
    if (clock_error() > CLOCK_TOLERANCE_S)
        wrong(round, "the wall clock is not that of the real-time clock");
    if (address != NULL && !answers(address))
        wrong(round, "the network does not answer");
    printf("suspendcheck: round=%lu away_ms=%lld began=%llu ended=%llu\n", round,
           (long long)(after.tv_sec - before.tv_sec) * 1000 +
               (after.tv_nsec - before.tv_nsec) / 1000000,
           (unsigned long long)began, (unsigned long long)ended);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *address = argc > 3 ? argv[3] : NULL;
    char path[256];

    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: suspendcheck ROUNDS [DIRECTORY [ADDRESS]]\n");
        return 2;
    }
    snprintf(path, sizeof(path), "%s/round", argc > 2 ? argv[2] : "");
    for (unsigned long round = 1; round <= parse_number(argv[1]); round++)
        do_round(round, argc > 2 ? path : NULL, address);
    printf("suspendcheck: done\n");
    return 0;
}

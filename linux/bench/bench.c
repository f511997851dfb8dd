/* SPDX-License-Identifier: BSD-2-Clause */
/* Repeats measurements, keeps their results, and prints them. See bench.h. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REPETITIONS 5
#define RESULTS 32
#define LINE_SIZE 256

struct result {
    const char *name;
    unsigned rounds;
    uint64_t least;
    uint64_t median;
    uint64_t most;
};

static struct result results[RESULTS];
static unsigned count;

void give_up(const char *what)
{
    fprintf(stderr, "linux-bench: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Sums the lines `.idle_sleeptime : N nsecs`, one a hart. */
uint64_t idle_ns(void)
{
    FILE *file = fopen("/proc/timer_list", "r");
    char line[LINE_SIZE];
    unsigned long long value;
    uint64_t sum = 0;
    int found = 0;

    if (!file)
        give_up("/proc/timer_list");
    while (fgets(line, sizeof(line), file)) {
        if (sscanf(line, " .idle_sleeptime : %llu nsecs", &value) == 1) {
            sum += value;
            found = 1;
        }
    }
    fclose(file);
    errno = ENOMSG;
    if (!found)
        give_up("/proc/timer_list has no idle_sleeptime");
    return sum;
}

void keep_result(const char *name, unsigned rounds, uint64_t least, uint64_t median, uint64_t most)
{
    errno = ENOSPC;
    if (count == RESULTS)
        give_up("too many results");
    results[count++] = (struct result){name, rounds, least, median, most};
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

void measure(const char *name, work_function work, unsigned rounds)
{
    uint64_t times[REPETITIONS];

    work(rounds / 10 + 1);
    for (unsigned each = 0; each < REPETITIONS; each++) {
        uint64_t start = now_ns();

        work(rounds);
        times[each] = now_ns() - start;
    }
    qsort(times, REPETITIONS, sizeof(times[0]), compare);
    keep_result(name, rounds, times[0], times[REPETITIONS / 2], times[REPETITIONS - 1]);
}

void print_results(void)
{
    for (unsigned each = 0; each < count; each++) {
        const struct result *result = &results[each];

        printf("bench: %s %u %llu %llu %llu\n", result->name, result->rounds,
               (unsigned long long)result->least, (unsigned long long)result->median,
               (unsigned long long)result->most);
    }
    count = 0;
    fflush(stdout);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ticks COUNT: sleeps COUNT times for 4 ms and checks that the clock never goes back and no sleep
 * ends early; prints the worst oversleep. How late is too late is for the reader to judge.
 */
#include "common.h"

#define SLEEP_NS 4000000LL

/* Sleeps to the end even if a signal comes. */
static void sleep_once(void)
{
    struct timespec left = {.tv_sec = 0, .tv_nsec = SLEEP_NS};

    while (nanosleep(&left, &left) != 0) {
        if (errno != EINTR)
            give_up("nanosleep");
    }
}

int main(int argc, char **argv)
{
    int64_t worst = 0;
    unsigned long count;

    if (argc != 2) {
        fprintf(stderr, "usage: ticks COUNT\n");
        return 2;
    }
    count = parse_number(argv[1]);
    for (unsigned long tick = 0; tick < count; tick++) {
        int64_t before = now_ns();
        int64_t slept;

        sleep_once();
        slept = now_ns() - before;
        if (slept < SLEEP_NS) {
            printf("ticks: sleep %lu ended after %lld ns\n", tick, (long long)slept);
            return 1;
        }
        if (slept - SLEEP_NS > worst)
            worst = slept - SLEEP_NS;
    }
    printf("ticks: count=%lu worst_oversleep_us=%lld\n", count, (long long)(worst / 1000));
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpuload SECONDS: keeps a hart busy with arithmetic and prints how much of it was done.
 */
#include "common.h"

#define ROUNDS_PER_LOOK 100000

int main(int argc, char **argv)
{
    uint64_t state = 1;
    uint64_t blocks = 0;
    int64_t deadline;

    if (argc != 2) {
        fprintf(stderr, "usage: cpuload SECONDS\n");
        return 2;
    }
    deadline = deadline_after(argv[1]);
    while (now_ns() < deadline) {
        for (int round = 0; round < ROUNDS_PER_LOOK; round++)
            state = state * 6364136223846793005U + 1442695040888963407U;
        blocks++;
    }
    printf("cpuload: blocks=%llu state=%016llx\n", (unsigned long long)blocks,
           (unsigned long long)state);
    return 0;
}

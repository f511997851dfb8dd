/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a target of fuzz.h that makes its operations from the bytes, FUZZ_TARGET, for a number of
 * operations that follow from a seed.
 *
 *   run_sequences [OPERATIONS [SEED [EPISODE]]]    EPISODE: this one alone
 */
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "episodes.h"
#include "fuzz.h"
#include "random.h"

#define EPISODE_BYTES 8192
#define REPORT_EVERY 10000000

static uint64_t number(int count, char **arguments, int which, uint64_t otherwise)
{
    return which < count ? strtoull(arguments[which], NULL, 0) : otherwise;
}

static void run_episode(uint64_t seed, uint64_t episode)
{
    static uint8_t bytes[EPISODE_BYTES];
    struct random random = {.state = seed * 0x9e3779b97f4a7c15 ^ (episode + 1)};

    for (unsigned i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(random_next(&random) >> 24);
    }
    statistics_episode(seed, episode);
    FUZZ_TARGET(bytes, sizeof(bytes));
}

int main(int count, char **arguments)
{
    uint64_t operations = number(count, arguments, 1, 1000000);
    uint64_t seed = number(count, arguments, 2, 1);
    uint64_t report = REPORT_EVERY;

    __sanitizer_set_death_callback(statistics_place);
    if (count > 3) {
        run_episode(seed, number(count, arguments, 3, 0));
        statistics_print();
        return 0;
    }
    for (uint64_t episode = 0; statistics_operations() < operations; episode++) {
        run_episode(seed, episode);
        if (statistics_operations() >= report) {
            printf("%llu operations, %.0f s\n", (unsigned long long)statistics_operations(),
                   (double)clock() / CLOCKS_PER_SEC);
            fflush(stdout);
            report += REPORT_EVERY;
        }
    }
    statistics_print();
    printf("seed %llu, %.0f s of processor time\n", (unsigned long long)seed,
           (double)clock() / CLOCKS_PER_SEC);
    return 0;
}

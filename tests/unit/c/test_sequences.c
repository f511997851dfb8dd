/* SPDX-License-Identifier: BSD-2-Clause */
/* A short run of fuzz_sequences.c; `make -C tests/fuzz sequences` has long ones. */
#include "feed.h"
#include "sequence_statistics.h"

#define EPISODES 1000

static void test_sequences(void **state)
{
    (void)state;
    feed(fuzz_sequences, EPISODES);
    statistics_print();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequences)};

    return cmocka_run_group_tests_name("sequences", tests, NULL, NULL);
}

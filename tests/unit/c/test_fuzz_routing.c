/* SPDX-License-Identifier: BSD-2-Clause */
/* A short run of fuzz_routing.c; `make -C tests/fuzz routing` has long ones. */
#include "episodes.h"
#include "feed.h"

#define EPISODES 1000

static void test_routing_sequences(void **state)
{
    (void)state;
    feed(fuzz_routing, EPISODES);
    statistics_print();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_routing_sequences)};

    return cmocka_run_group_tests_name("fuzz_routing", tests, NULL, NULL);
}

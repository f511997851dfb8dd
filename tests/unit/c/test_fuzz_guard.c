/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_guard.c, apart from test_fuzz.c: both replace some of the same functions. */
#include "feed.h"

static void test_guard(void **state)
{
    (void)state;
    feed(fuzz_guard, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guard)};

    return cmocka_run_group_tests_name("fuzz_guard", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_virtio.c, apart from test_fuzz.c: both replace some of the same functions. */
#include "feed.h"

static void test_virtio(void **state)
{
    (void)state;
    feed(fuzz_virtio, 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_virtio)};

    return cmocka_run_group_tests_name("fuzz_virtio", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The fuzz targets of tests/fuzz/, each with a fixed number of random inputs. */
#include "feed.h"

static void test_vuart(void **state)
{
    (void)state;
    feed(fuzz_vuart, 1500);
}

static void test_vplic(void **state)
{
    (void)state;
    feed(fuzz_vplic, 1500);
}

static void test_console(void **state)
{
    (void)state;
    feed(fuzz_console, 1500);
}

static void test_control(void **state)
{
    (void)state;
    feed(fuzz_control, 1500);
}

static void test_check(void **state)
{
    (void)state;
    feed(fuzz_check, 400);
}

static void test_guest_memory(void **state)
{
    (void)state;
    feed(fuzz_guest_memory, 3000);
}

static void test_message_ring(void **state)
{
    (void)state;
    feed(fuzz_message_ring, 3000);
}

static void test_handed_tree(void **state)
{
    (void)state;
    feed(fuzz_handed_tree, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vuart),        cmocka_unit_test(test_vplic),
        cmocka_unit_test(test_console),      cmocka_unit_test(test_control),
        cmocka_unit_test(test_check),        cmocka_unit_test(test_guest_memory),
        cmocka_unit_test(test_message_ring), cmocka_unit_test(test_handed_tree),
    };

    return cmocka_run_group_tests_name("fuzz", tests, NULL, NULL);
}

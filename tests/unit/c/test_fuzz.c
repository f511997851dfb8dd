/* SPDX-License-Identifier: BSD-2-Clause */
/* The fuzz targets of tests/fuzz/, each with a fixed number of random inputs. */
#include "cmocka_tests.h"
#include "fuzz.h"
#include "random.h"

#define INPUT_MAX 4096

static void feed(int (*target)(const uint8_t *data, size_t size), uint32_t rounds)
{
    static uint8_t data[INPUT_MAX];
    struct random random = {.state = 0x66757a7a};

    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t size = random_below(&random, INPUT_MAX + 1);

        for (uint32_t i = 0; i < size; i++) {
            data[i] = (uint8_t)random_next(&random);
        }
        assert_int_equal(target(data, size), 0);
    }
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vuart),   cmocka_unit_test(test_vplic),
        cmocka_unit_test(test_console), cmocka_unit_test(test_control),
        cmocka_unit_test(test_check),   cmocka_unit_test(test_guest_memory),
    };

    return cmocka_run_group_tests_name("fuzz", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Random inputs for the fuzz targets of tests/fuzz/. */
#ifndef COTENANT_TESTS_FEED_H
#define COTENANT_TESTS_FEED_H

#include "cmocka_tests.h"
#include "fuzz.h"
#include "random.h"

#define FEED_INPUT_MAX 4096

/* Gives a target so many inputs, always the same ones. */
static inline void feed(int (*target)(const uint8_t *data, size_t size), uint32_t rounds)
{
    static uint8_t data[FEED_INPUT_MAX];
    struct random random = {.state = 0x66757a7a};

    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t size = random_below(&random, FEED_INPUT_MAX + 1);

        for (uint32_t i = 0; i < size; i++) {
            data[i] = (uint8_t)random_next(&random);
        }
        assert_int_equal(target(data, size), 0);
    }
}

#endif

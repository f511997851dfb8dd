/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz targets: each takes any bytes as a series of operations on a piece of the monitor and
 * aborts when an invariant is broken. The unit tests feed them random bytes (test_fuzz.c); with
 * clang, tests/fuzz/Makefile makes libFuzzer programs of them.
 */
#ifndef COTENANT_TESTS_FUZZ_H
#define COTENANT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int fuzz_vuart(const uint8_t *data, size_t size);
int fuzz_vplic(const uint8_t *data, size_t size);
int fuzz_console(const uint8_t *data, size_t size);
int fuzz_control(const uint8_t *data, size_t size);
int fuzz_check(const uint8_t *data, size_t size);
int fuzz_guest_memory(const uint8_t *data, size_t size);
int fuzz_sequences(const uint8_t *data, size_t size);
int fuzz_routing(const uint8_t *data, size_t size);
int fuzz_virtio(const uint8_t *data, size_t size);
int fuzz_guard(const uint8_t *data, size_t size);
int fuzz_handed_tree(const uint8_t *data, size_t size);
int fuzz_message_ring(const uint8_t *data, size_t size);

/* The bytes that a target has not used yet. */
struct fuzz_input {
    const uint8_t *data;
    size_t size;
};

/* The next byte; 0 when there are no more. */
static inline uint8_t fuzz_byte(struct fuzz_input *input)
{
    if (input->size == 0) {
        return 0;
    }
    input->size--;
    return *input->data++;
}

static inline uint32_t fuzz_word(struct fuzz_input *input)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        value = value << 8 | fuzz_byte(input);
    }
    return value;
}

#endif

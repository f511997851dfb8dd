/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An end of a memory channel whose other end writes anything into the window, at any moment between
 * two calls: nothing outside of the window and of the caller's buffer is touched, and what is said
 * to have come is what there was room for. The window is a block of its own, so that a step beyond
 * it is noticed.
 */
#include <assert.h>
#include <stdlib.h>

#include "abi/message_ring.h"
#include "fuzz.h"

#define ROOM 300
#define GUARD 0x5a

static void scribble(uint8_t *window, uint32_t size, struct fuzz_input *input)
{
    /* Mostly where counters and the first lengths are. */
    uint32_t place = fuzz_byte(input) % 2 == 0 ? fuzz_byte(input) * 4u : fuzz_word(input) % size;
    uint64_t value = fuzz_byte(input) % 2 == 0
                         ? fuzz_byte(input)
                         : (uint64_t)fuzz_word(input) << 32 | fuzz_word(input);
    uint32_t length = 1u << fuzz_byte(input) % 4;

    if (place + length <= size) {
        memcpy(window + place, &value, length);
    }
}

static void take(struct ring *ring)
{
    uint8_t bytes[ROOM + 1];
    int64_t length;

    bytes[ROOM] = GUARD;
    length = ring_receive(ring, bytes, ROOM);
    assert(length >= RING_BROKEN && length <= (int64_t)ring_longest(ring));
    assert(bytes[ROOM] == GUARD);
}

int fuzz_message_ring(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    uint32_t window_size = 1024 + fuzz_byte(&input);
    unsigned end = fuzz_byte(&input) % 2;
    uint8_t *window = aligned_alloc(RING_LINE, (window_size + RING_LINE - 1) & ~(RING_LINE - 1u));
    struct ring honest; /* an end that keeps to the rules, by which the two meet at all */
    struct ring ring;
    uint8_t bytes[1500] = {0};

    assert(window != NULL);
    memset(window, fuzz_byte(&input), window_size);
    ring_open(&honest, window, window_size, end ^ 1);
    ring_open(&ring, window, window_size, end);
    while (input.size > 0) {
        switch (fuzz_byte(&input) % 10) {
        case 0:
            ring_open(&ring, window, window_size, end);
            break;
        case 1:
            ring_open(&honest, window, window_size, end ^ 1);
            break;
        case 2:
        case 3:
        case 4:
            scribble(window, window_size, &input);
            break;
        case 5:
            (void)ring_send(&honest, bytes, fuzz_byte(&input));
            break;
        case 6:
            (void)ring_send(&ring, bytes, fuzz_word(&input) % sizeof(bytes));
            break;
        case 7:
            (void)ring_begin_wait(&ring, fuzz_byte(&input) % 4);
            (void)ring_must_ring(&ring);
            break;
        default:
            take(&ring);
            break;
        }
    }
    free(window);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages by which the tests of channels find out whether bytes arrive as they were sent, in
 * order and each once. Freestanding: both the program in Linux and the one in an RTOS use it.
 *
 * A message is a header and bytes that follow from its number, so that the receiver knows every bit
 * of it beforehand.
 */
#ifndef COTENANT_LINUX_TESTS_STREAM_MESSAGE_H
#define COTENANT_LINUX_TESTS_STREAM_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

struct stream_message_header {
    uint32_t number; /* 0, 1... */
    uint32_t length; /* bytes, with the header */
};

/* The next state of a linear congruential generator (Knuth's MMIX constants). */
static inline uint64_t stream_random(uint64_t state)
{
    return state * 6364136223846793005u + 1442695040888963407u;
}

/* The length of message `number`, from 8 up to `longest` bytes, a multiple of 8. */
static inline uint32_t stream_message_length(uint32_t number, uint32_t longest)
{
    uint32_t most = longest / 8;

    return 8 + 8 * (uint32_t)((stream_random(number + 1) >> 33) % most);
}

/* Writes message `number` to `words` (room for `longest` bytes); returns its length in bytes. */
static inline uint32_t stream_message_make(uint64_t *words, uint32_t number, uint32_t longest)
{
    uint32_t length = stream_message_length(number, longest);
    uint64_t state = stream_random(number);

    words[0] = number | (uint64_t)length << 32;
    for (uint32_t i = 1; i < length / 8; i++) {
        state = stream_random(state);
        words[i] = state;
    }
    return length;
}

/* Word `place` of a message is right, given the one before it, which was. */
static inline bool stream_word_is_right(uint32_t number, uint32_t longest, uint32_t place,
                                        uint64_t before, uint64_t word)
{
    if (place == 0) {
        return word == (number | (uint64_t)stream_message_length(number, longest) << 32);
    }
    return word == stream_random(place == 1 ? stream_random(number) : before);
}

/* What a receiver knows of the bytes so far; all zero at first, but for `longest`. */
struct stream_receiver {
    uint32_t longest;
    uint32_t number; /* messages that came complete and right */
    uint32_t place;  /* words of the present one */
    uint64_t before; /* the last word */
    uint64_t word;   /* bytes of the next one */
    uint32_t bytes;  /* how many of them */
};

/* Takes bytes as they came; false: one is wrong. */
static inline bool stream_receive(struct stream_receiver *receiver, const uint8_t *bytes,
                                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        receiver->word |= (uint64_t)bytes[i] << (8 * receiver->bytes++);
        if (receiver->bytes < 8) {
            continue;
        }
        if (!stream_word_is_right(receiver->number, receiver->longest, receiver->place,
                                  receiver->before, receiver->word)) {
            return false;
        }
        receiver->before = receiver->word;
        receiver->word = 0;
        receiver->bytes = 0;
        receiver->place++;
        if (8 * receiver->place == stream_message_length(receiver->number, receiver->longest)) {
            receiver->number++;
            receiver->place = 0;
        }
    }
    return true;
}

#endif

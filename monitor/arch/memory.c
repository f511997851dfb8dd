/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/memory.h"

#include <stdbool.h>

typedef uint64_t __attribute__((may_alias)) word;

static bool aligned(uintptr_t address)
{
    return (address & (sizeof(word) - 1)) == 0;
}

/* Copies the whole words of `size` bytes between aligned places; returns how many bytes that is. */
static size_t copy_words(uint8_t *to, const uint8_t *from, size_t size)
{
    size_t left = size;

    for (; left >= 4 * sizeof(word); left -= 4 * sizeof(word)) {
        word a = ((const word *)from)[0];
        word b = ((const word *)from)[1];
        word c = ((const word *)from)[2];
        word d = ((const word *)from)[3];

        ((word *)to)[0] = a;
        ((word *)to)[1] = b;
        ((word *)to)[2] = c;
        ((word *)to)[3] = d;
        to += 4 * sizeof(word);
        from += 4 * sizeof(word);
    }
    for (; left >= sizeof(word); left -= sizeof(word)) {
        *(word *)to = *(const word *)from;
        to += sizeof(word);
        from += sizeof(word);
    }
    return size - left;
}

/*
 * The same to an aligned place from one that is not. It reads the aligned words in which the bytes
 * lie, and so never beyond the page or the PMP region that they are in.
 */
static size_t copy_shifted(uint8_t *to, const uint8_t *from, size_t size)
{
    unsigned offset = (uintptr_t)from & (sizeof(word) - 1);
    unsigned shift = 8 * offset;
    const word *next = (const word *)(from - offset);
    size_t left = size;
    word low;

    if (size < sizeof(word)) {
        return 0;
    }
    low = *next++;
    for (; left >= sizeof(word); left -= sizeof(word)) {
        word high = *next++;

        *(word *)to = low >> shift | high << (64 - shift);
        low = high;
        to += sizeof(word);
    }
    return size - left;
}

void *memcpy(void *restrict destination, const void *restrict source, size_t size)
{
    uint8_t *to = destination;
    const uint8_t *from = source;
    size_t done;

    for (; size > 0 && !aligned((uintptr_t)to); size--) {
        *to++ = *from++;
    }
    done = aligned((uintptr_t)from) ? copy_words(to, from, size) : copy_shifted(to, from, size);
    for (size_t i = done; i < size; i++) {
        to[i] = from[i];
    }
    return destination;
}

void *memset(void *destination, int value, size_t size)
{
    uint8_t *to = destination;
    word pattern = (uint8_t)value * 0x0101010101010101u;

    for (; size > 0 && !aligned((uintptr_t)to); size--) {
        *to++ = (uint8_t)value;
    }
    for (; size >= 4 * sizeof(word); size -= 4 * sizeof(word)) {
        ((word *)to)[0] = pattern;
        ((word *)to)[1] = pattern;
        ((word *)to)[2] = pattern;
        ((word *)to)[3] = pattern;
        to += 4 * sizeof(word);
    }
    for (; size >= sizeof(word); size -= sizeof(word)) {
        *(word *)to = pattern;
        to += sizeof(word);
    }
    for (; size > 0; size--) {
        *to++ = (uint8_t)value;
    }
    return destination;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const uint8_t *a = left;
    const uint8_t *b = right;

    for (; size > 0; size--, a++, b++) {
        if (*a != *b) {
            return *a < *b ? -1 : 1;
        }
    }
    return 0;
}

void physical_copy(uint64_t destination, const void *source, size_t size)
{
    memcpy((void *)destination, source, size);
}

void physical_clear(uint64_t destination, size_t size)
{
    memset((void *)destination, 0, size);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/memory.h"

#include <stdbool.h>

typedef uint64_t __attribute__((may_alias)) word;

static bool aligned(uintptr_t a, uintptr_t b)
{
    return ((a | b) & (sizeof(word) - 1)) == 0;
}

void *memcpy(void *restrict destination, const void *restrict source, size_t size)
{
    uint8_t *to = destination;
    const uint8_t *from = source;

    if (aligned((uintptr_t)to, (uintptr_t)from)) {
        for (; size >= 4 * sizeof(word); size -= 4 * sizeof(word)) {
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
    }
    for (; size > 0; size--) {
        *to++ = *from++;
    }
    return destination;
}

void *memset(void *destination, int value, size_t size)
{
    uint8_t *to = destination;

    if (aligned((uintptr_t)to, 0)) {
        word pattern = (uint8_t)value * 0x0101010101010101u;

        for (; size >= 4 * sizeof(word); size -= 4 * sizeof(word)) {
            ((word *)to)[0] = pattern;
            ((word *)to)[1] = pattern;
            ((word *)to)[2] = pattern;
            ((word *)to)[3] = pattern;
            to += 4 * sizeof(word);
        }
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

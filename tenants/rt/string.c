/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict destination, const void *restrict source, size_t size)
{
    uint8_t *to = destination;
    const uint8_t *from = source;

    /* Eight bytes at a time where both sides allow it. */
    if ((((uintptr_t)to ^ (uintptr_t)from) & 7) == 0) {
        for (; size > 0 && ((uintptr_t)to & 7) != 0; size--) {
            *to++ = *from++;
        }
        for (; size >= 32; size -= 32, to += 32, from += 32) {
            const uint64_t *words = (const uint64_t *)(const void *)from;
            uint64_t first = words[0], second = words[1], third = words[2], fourth = words[3];

            ((uint64_t *)(void *)to)[0] = first;
            ((uint64_t *)(void *)to)[1] = second;
            ((uint64_t *)(void *)to)[2] = third;
            ((uint64_t *)(void *)to)[3] = fourth;
        }
        for (; size >= 8; size -= 8, to += 8, from += 8) {
            *(uint64_t *)(void *)to = *(const uint64_t *)(const void *)from;
        }
    }
    while (size-- > 0) {
        *to++ = *from++;
    }
    return destination;
}

void *memmove(void *destination, const void *source, size_t size)
{
    uint8_t *to = destination;
    const uint8_t *from = source;

    if (to <= from) {
        for (size_t i = 0; i < size; i++) {
            to[i] = from[i];
        }
    } else {
        while (size-- > 0) {
            to[size] = from[size];
        }
    }
    return destination;
}

void *memset(void *destination, int value, size_t size)
{
    uint8_t *to = destination;
    uint64_t word = 0x0101010101010101 * (uint8_t)value;

    for (; size > 0 && ((uintptr_t)to & 7) != 0; size--) {
        *to++ = (uint8_t)value;
    }
    for (; size >= 8; size -= 8, to += 8) {
        *(uint64_t *)(void *)to = word;
    }
    while (size-- > 0) {
        *to++ = (uint8_t)value;
    }
    return destination;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const uint8_t *a = left;
    const uint8_t *b = right;

    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

void *memchr(const void *memory, int value, size_t size)
{
    const uint8_t *byte = memory;

    for (size_t i = 0; i < size; i++) {
        if (byte[i] == (uint8_t)value) {
            return (void *)(uintptr_t)&byte[i];
        }
    }
    return NULL;
}

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0') {
        length++;
    }
    return length;
}

int strncmp(const char *left, const char *right, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        if (left[i] != right[i] || left[i] == '\0') {
            return (uint8_t)left[i] - (uint8_t)right[i];
        }
    }
    return 0;
}

int strcmp(const char *left, const char *right)
{
    return strncmp(left, right, SIZE_MAX);
}

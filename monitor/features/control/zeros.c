/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/control/zeros.h"

typedef uint64_t __attribute__((may_alias)) word;

size_t physical_zeros(uint64_t source, size_t size)
{
    const word *next = (const word *)source;
    size_t left = size;

    for (; left >= 4 * sizeof(word); left -= 4 * sizeof(word)) {
        if ((next[0] | next[1] | next[2] | next[3]) != 0) {
            break;
        }
        next += 4;
    }
    for (; left >= sizeof(word) && *next == 0; left -= sizeof(word)) {
        next++;
    }
    return size - left;
}

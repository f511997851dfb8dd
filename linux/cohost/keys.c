/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys.h"

#define ESCAPE 1 /* Ctrl-A */

size_t keys_filter(struct keys *keys, uint8_t *bytes, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (!keys->escaped && bytes[i] == ESCAPE) {
            keys->escaped = true;
            continue;
        }
        if (keys->escaped && bytes[i] != ESCAPE) {
            keys->stop |= bytes[i] == 'x';
            keys->leave |= bytes[i] == 'd';
        } else {
            bytes[kept++] = bytes[i];
        }
        keys->escaped = false;
    }
    return kept;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "line_input.h"

#define KEY_PASS_ON 0x04  /* Ctrl-D */
#define KEY_ORDINARY 0x16 /* Ctrl-V */

size_t line_input_encode(const uint8_t *bytes, size_t count, uint8_t *keys)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == KEY_PASS_ON || bytes[i] == KEY_ORDINARY) {
            keys[length++] = KEY_ORDINARY;
        }
        keys[length++] = bytes[i];
    }
    /* Behind the end of a line there is nothing to be passed on, and the key would be the end. */
    if (count > 0 && bytes[count - 1] != '\n') {
        keys[length++] = KEY_PASS_ON;
    }
    return length;
}

uint8_t line_input_end(void)
{
    return KEY_PASS_ON;
}

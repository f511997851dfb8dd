/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes on their way to a serial port that has no room for them yet. */
#ifndef COHOST_INPUT_H
#define COHOST_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "ns16550.h"

#define INPUT_SIZE 4096

struct input {
    struct ns16550 *port;
    uint8_t bytes[INPUT_SIZE];
    size_t count;
};

/* How many bytes it has room for. */
size_t input_room(const struct input *input);

/* Adds bytes; those without room are dropped. */
void input_add(struct input *input, const uint8_t *bytes, size_t count);

/* Gives the port what that has room for. */
void input_pass(struct input *input);

#endif

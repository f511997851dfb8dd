/* SPDX-License-Identifier: BSD-2-Clause */
#include "input.h"

#include <string.h>

size_t input_room(const struct input *input)
{
    return sizeof(input->bytes) - input->count;
}

void input_add(struct input *input, const uint8_t *bytes, size_t count)
{
    size_t taken = count < input_room(input) ? count : input_room(input);

    memcpy(input->bytes + input->count, bytes, taken);
    input->count += taken;
}

void input_pass(struct input *input)
{
    size_t passed = 0;

    if (input->count > 0) {
        passed = ns16550_receive(input->port, input->bytes, input->count);
    }
    if (passed > 0) {
        input->count -= passed;
        memmove(input->bytes, input->bytes + passed, input->count);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text of a tenant, on its way to a terminal whose focus it does not have. */
#include "features/terminal/filter.h"

#include "proof.h"

#define ASCII_END 0x80

static struct console_filter filter;

/* Each of ASCII on its own: what may be shown of it has gaps. */
static uint8_t any_byte(void)
{
    int byte = Frama_C_interval_split(0, ASCII_END);

    return (uint8_t)(byte < ASCII_END ? byte : ASCII_END + any_up_to(UINT8_MAX - ASCII_END));
}

int main(void)
{
    int byte;

    //@ dynamic_split filter.wanted;
    //@ dynamic_split filter.length;
    //@ dynamic_split filter.shown;
    //@ dynamic_split filter.bytes[0];
    while (any_bool()) {
        if (any_bool()) {
            console_filter_begin(&filter);
        }
        byte = console_filter_next(&filter);
        if (byte < 0) {
            console_filter_put(&filter, any_byte());
            //@ assert filter.length <= filter.wanted <= CONSOLE_CHARACTER_MAX;
        } else {
            //@ assert byte == '\t' || (byte >= ' ' && byte != 0x7f);
        }
    }
    return 0;
}

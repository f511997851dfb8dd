/* SPDX-License-Identifier: BSD-2-Clause */
/* No terminal: the console line carries frames. */
#include "core/console_parts.h"

int console_lines_next(struct console_mux *mux)
{
    (void)mux;
    return -1;
}

void console_keys_input(struct console_mux *mux, uint8_t byte)
{
    (void)mux;
    (void)byte;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* No frames: the console line has a terminal at its end. */
#include "core/console_parts.h"

int console_frames_next(struct console_mux *mux)
{
    (void)mux;
    return -1;
}

void console_frames_input(struct console_mux *mux, uint8_t byte)
{
    (void)mux;
    (void)byte;
}

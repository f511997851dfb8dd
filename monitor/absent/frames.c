/* SPDX-License-Identifier: BSD-2-Clause */
/* No frames: the console line has a terminal at its end. */
#include "core/console_parts.h"

const struct console_form console_framed;

void console_frames_input(struct console_mux *mux, uint8_t byte)
{
    (void)mux;
    (void)byte;
}

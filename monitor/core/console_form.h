/* SPDX-License-Identifier: BSD-2-Clause */
/* What forms of the console line are made of; others use console_mux.h. */
#ifndef COTENANT_CORE_CONSOLE_FORM_H
#define COTENANT_CORE_CONSOLE_FORM_H

#include <stddef.h>

#include "core/console_mux.h"

/* A longer line is broken; text without an end waits until there is this much of it. */
#define CONSOLE_LINE_MAX 200

#define CONSOLE_NO_SOURCE UINT32_MAX
#define CONSOLE_NO_TENANT UINT32_MAX

/* The last source of output: answers of the control protocol. */
static inline uint32_t console_control_source(const struct console_mux *mux)
{
    return mux->tenant_count + 1;
}

/* What comes is a part of a request of the control protocol. */
static inline bool console_is_in_control_frame(const struct console_mux *mux)
{
    return mux->in_channel == COTENANT_CONTROL_CHANNEL &&
           (mux->in_state == CONSOLE_FRAME_LENGTH || mux->in_state == CONSOLE_FRAME_PAYLOAD);
}

/* The sources of output; `source` is 0..console_control_source(). */

uint32_t console_source_used(const struct console_mux *mux, uint32_t source);

/* Takes a byte; -1: none. */
int console_source_next(struct console_mux *mux, uint32_t source);

/*
 * Chooses the source that comes next after the one that was served last, among those that have a
 * complete line, enough text or text that waited long enough. `except` is left out. Makes it the
 * present one and returns true; false: none.
 */
bool console_choose_source(struct console_mux *mux, uint32_t except);

/* A byte of input for a tenant. */
void console_deliver(struct console_mux *mux, uint32_t tenant, uint8_t byte);

/* Asks for a command; only one is kept until it has been taken. */
void console_request_command(struct console_mux *mux, uint32_t tenant, enum tenant_command command);

/* Answers of the control protocol: how much of one waits. */
static inline uint32_t console_control_waiting(void)
{
    return console_control == NULL ? 0 : console_control->waiting();
}

/* A byte of a request of it. */
static inline void console_control_take(uint8_t byte)
{
    if (console_control != NULL) {
        console_control->take(byte);
    }
}

#endif

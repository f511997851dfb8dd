/* SPDX-License-Identifier: BSD-2-Clause */
/* Framed mode: frames of abi/console.h in both directions, and the commands on channel 0. */
#include "abi/console.h"
#include "core/console_parts.h"
#include "core/monitor_log.h"

int console_frames_next(struct console_mux *mux)
{
    int byte;

    switch (mux->out_state) {
    case CONSOLE_FRAME_CHANNEL:
        mux->out_state = CONSOLE_FRAME_LENGTH;
        return mux->turn == mux->tenant_count ? COTENANT_CHANNEL_MONITOR
                                              : (int)mux->turn + COTENANT_CHANNEL_FIRST_TENANT;
    case CONSOLE_FRAME_LENGTH:
        mux->out_state = CONSOLE_FRAME_PAYLOAD;
        return (int)mux->out_left;
    case CONSOLE_FRAME_PAYLOAD:
        byte = console_source_next(mux, mux->turn);
        mux->out_left--;
        if (mux->out_left == 0) {
            mux->out_state = CONSOLE_FRAME_IDLE;
        }
        return byte < 0 ? 0 : byte; /* the promised length holds whatever happened to the ring */
    case CONSOLE_FRAME_IDLE:
        break;
    }
    if (!console_choose_source(mux, CONSOLE_NO_SOURCE)) {
        return -1;
    }
    mux->out_left = console_source_used(mux, mux->turn);
    if (mux->out_left > COTENANT_FRAME_MAX_PAYLOAD) {
        mux->out_left = COTENANT_FRAME_MAX_PAYLOAD;
    }
    mux->out_state = CONSOLE_FRAME_CHANNEL;
    return COTENANT_FRAME_START;
}

static bool is_text(const char *text, const char *expected)
{
    uint32_t i = 0;

    while (i < COTENANT_MONITOR_COMMAND_MAX && text[i] == expected[i] && text[i] != '\0') {
        i++;
    }
    return text[i] == expected[i];
}

static void focus_by_name(struct console_mux *mux, const char *name)
{
    for (uint32_t tenant = 0; tenant < mux->tenant_count; tenant++) {
        if (is_text(name, mux->names[tenant]) && console_mux_set_focus(mux, tenant)) {
            return;
        }
    }
    monitor_log_begin();
    monitor_puts("no such tenant\n");
}

static void run_command(struct console_mux *mux)
{
    static const char focus[] = "focus ";
    const uint32_t focus_length = sizeof(focus) - 1;

    if (is_text(mux->command, "stats")) {
        mux->requests |= CONSOLE_REQUEST_STATS;
        return;
    }
    if (is_text(mux->command, "quit")) {
        mux->requests |= CONSOLE_REQUEST_QUIT;
        return;
    }
    for (uint32_t i = 0; i < focus_length; i++) {
        if (mux->command[i] != focus[i]) {
            monitor_log_begin();
            monitor_puts("unknown command, give stats, quit or focus NAME\n");
            return;
        }
    }
    focus_by_name(mux, mux->command + focus_length);
}

/* Collects a line; one that is too long is refused as a whole. */
static void command_input(struct console_mux *mux, uint8_t byte)
{
    if (byte != '\n') {
        if (mux->command_length < COTENANT_MONITOR_COMMAND_MAX) {
            mux->command[mux->command_length] = (char)byte;
        }
        if (mux->command_length <= COTENANT_MONITOR_COMMAND_MAX) {
            mux->command_length++;
        }
        return;
    }
    if (mux->command_length > 0 && mux->command_length <= COTENANT_MONITOR_COMMAND_MAX &&
        mux->command[mux->command_length - 1] == '\r') {
        mux->command_length--;
    }
    if (mux->command_length > COTENANT_MONITOR_COMMAND_MAX) {
        monitor_log_begin();
        monitor_puts("command too long\n");
    } else if (mux->command_length > 0) {
        mux->command[mux->command_length] = '\0';
        run_command(mux);
    }
    mux->command_length = 0;
}

static void payload_input(struct console_mux *mux, uint8_t byte)
{
    if (mux->in_channel == COTENANT_CHANNEL_MONITOR) {
        command_input(mux, byte);
    } else {
        console_deliver(mux, mux->in_channel - COTENANT_CHANNEL_FIRST_TENANT, byte);
    }
    mux->in_left--;
    if (mux->in_left == 0) {
        mux->in_state = CONSOLE_FRAME_IDLE;
    }
}

void console_frames_input(struct console_mux *mux, uint8_t byte)
{
    if (mux->in_state == CONSOLE_FRAME_PAYLOAD) {
        payload_input(mux, byte);
        return;
    }
    /* Neither a channel nor a length: wherever it comes before the payload, a frame starts. */
    if (byte == COTENANT_FRAME_START) {
        mux->in_state = CONSOLE_FRAME_CHANNEL;
    } else if (mux->in_state == CONSOLE_FRAME_CHANNEL) {
        mux->in_channel = byte;
        mux->in_state = CONSOLE_FRAME_LENGTH;
    } else if (mux->in_state == CONSOLE_FRAME_LENGTH && byte >= 1 &&
               byte <= COTENANT_FRAME_MAX_PAYLOAD) {
        mux->in_left = byte;
        mux->in_state = CONSOLE_FRAME_PAYLOAD;
    } else {
        mux->in_state = CONSOLE_FRAME_IDLE;
    }
}

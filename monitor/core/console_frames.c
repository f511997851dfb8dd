/* SPDX-License-Identifier: BSD-2-Clause */
/* Framed mode: frames of abi/console.h in both directions, and the commands on channel 0. */
#include <stddef.h>

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

/* Returns what follows `word` and a space in a line that begins so, or NULL. */
static const char *after_word(const char *line, const char *word)
{
    uint32_t i = 0;

    while (word[i] != '\0' && line[i] == word[i]) {
        i++;
    }
    return word[i] == '\0' && line[i] == ' ' ? line + i + 1 : NULL;
}

/* Returns the index of a tenant; CONSOLE_NO_TENANT, said on the log, if there is none of the name.
 */
static uint32_t find_tenant(const struct console_mux *mux, const char *name)
{
    for (uint32_t tenant = 0; tenant < mux->tenant_count; tenant++) {
        if (is_text(name, mux->names[tenant])) {
            return tenant;
        }
    }
    monitor_log_begin();
    monitor_puts("no such tenant\n");
    return CONSOLE_NO_TENANT;
}

/* Returns whether the line is a command for a tenant. */
static bool run_tenant_command(struct console_mux *mux)
{
    for (uint32_t command = 0; command < COMMAND_COUNT; command++) {
        const char *name = after_word(mux->command, console_command_names[command]);

        if (name != NULL) {
            uint32_t tenant = find_tenant(mux, name);

            if (tenant != CONSOLE_NO_TENANT) {
                console_request_command(mux, tenant, (enum tenant_command)command);
            }
            return true;
        }
    }
    return false;
}

static void show_commands(void)
{
    monitor_log_begin();
    monitor_puts("stats, quit, focus NAME");
    for (uint32_t command = 0; command < COMMAND_COUNT; command++) {
        monitor_puts(", ");
        monitor_puts(console_command_names[command]);
        monitor_puts(" NAME");
    }
    monitor_puts("\n");
}

static void run_command(struct console_mux *mux)
{
    const char *name = after_word(mux->command, "focus");

    if (is_text(mux->command, "stats")) {
        mux->requests |= CONSOLE_REQUEST_STATS;
        return;
    }
    if (is_text(mux->command, "help")) {
        show_commands();
        return;
    }
    if (is_text(mux->command, "quit")) {
        mux->requests |= CONSOLE_REQUEST_QUIT;
        return;
    }
    if (name != NULL) {
        uint32_t tenant = find_tenant(mux, name);

        if (tenant != CONSOLE_NO_TENANT && !console_mux_set_focus(mux, tenant)) {
            monitor_log_begin();
            monitor_puts("no such console\n");
        }
    } else if (!run_tenant_command(mux)) {
        monitor_log_begin();
        monitor_puts("unknown command, give help\n");
    }
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

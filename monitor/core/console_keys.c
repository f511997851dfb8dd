/* SPDX-License-Identifier: BSD-2-Clause */
/* The input of mux mode: keys for the tenant in focus, commands behind the escape key. */
#include "core/console_parts.h"
#include "core/features.h"
#include "core/monitor_log.h"

static void put_escape_name(const struct console_mux *mux)
{
    const char name[] = {'C', 't', 'r', 'l', '-', (char)(mux->escape | 0x40), '\0'};

    monitor_puts(name);
}

static void show_help(const struct console_mux *mux)
{
    monitor_log_begin();
    put_escape_name(mux);
    monitor_puts(" then: n next tenant, 1-9 that tenant, s start it, x stop it, r restart it, w "
                 "switch to it, "
                 "l list, h help, q power off, ");
    put_escape_name(mux);
    monitor_puts(" send it\n");
}

/* The tenants in turn; the one in focus again when no other has a console. */
static void focus_next(struct console_mux *mux)
{
    uint32_t tenant = mux->focus;

    for (uint32_t i = 0; i < mux->tenant_count; i++) {
        tenant = tenant + 1 < mux->tenant_count ? tenant + 1 : 0;
        if (console_mux_set_focus(mux, tenant)) {
            return;
        }
    }
}

static void run_command(struct console_mux *mux, uint8_t key)
{
    switch (key) {
    case 'n':
        focus_next(mux);
        return;
    case 'l':
        mux->requests |= CONSOLE_REQUEST_LIST;
        return;
    case 'q':
        mux->requests |= CONSOLE_REQUEST_QUIT;
        return;
    case 's':
        console_request_command(mux, mux->focus, COMMAND_START);
        return;
    case 'x':
        console_request_command(mux, mux->focus, COMMAND_STOP);
        return;
    case 'r':
        console_request_command(mux, mux->focus, COMMAND_RESTART);
        return;
    case 'w':
        console_request_command(mux, mux->focus, COMMAND_SWITCH);
        return;
    case 'h':
    case '?':
        show_help(mux);
        return;
    default:
        break;
    }
    if (key >= '1' && key <= '9') {
        if (!console_mux_set_focus(mux, key - (uint32_t)'1')) {
            monitor_log_begin();
            monitor_puts("no such tenant\n");
        }
        return;
    }
    show_help(mux);
}

static void keys_input(struct console_mux *mux, uint8_t byte)
{
    if (mux->escape_seen) {
        mux->escape_seen = false;
        if (FEATURE_CONTROL && byte == COTENANT_CONTROL_START) {
            mux->in_channel = COTENANT_CONTROL_CHANNEL;
            mux->in_state = CONSOLE_FRAME_LENGTH;
            return;
        }
        if (byte != mux->escape) {
            run_command(mux, byte);
            return;
        }
    } else if (byte == mux->escape) {
        mux->escape_seen = true;
        return;
    }
    console_deliver(mux, mux->focus, byte);
}

/* What follows the start of a frame of the control protocol is no key. */
static void terminal_input(struct console_mux *mux, uint8_t byte)
{
    if (console_is_in_control_frame(mux)) {
        console_frames_input(mux, byte);
    } else {
        keys_input(mux, byte);
    }
}

const struct console_form console_terminal = {
    .next = console_lines_next,
    .input = terminal_input,
};

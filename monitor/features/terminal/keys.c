/* SPDX-License-Identifier: BSD-2-Clause */
/* The input of mux mode: keys for the tenant in focus, commands behind the escape key. */
#include "abi/bundle.h"
#include "core/console_form.h"
#include "core/feature.h"
#include "core/monitor_log.h"
#include "core/work.h"
#include "features/terminal/lines.h"

/* In parts of a few bytes, the name of the key among them: ? is its letter. */
static char help[][30] = {
    "Ctrl-?",
    " then: n next tenant, ",
    "1-9 that tenant, s start it, ",
    "x stop it, r restart it, ",
    "w switch to it, l list, ",
    "h help, q power off, ",
    "Ctrl-?",
    " send it\n",
};
#define PARTS (sizeof(help) / sizeof(help[0]))

static struct monitor_log_parts parts; /* of it */
static bool help_wanted;

static void show_help(const struct console_mux *mux)
{
    help[0][5] = help[PARTS - 2][5] = (char)(mux->escape | 0x40);
    help_wanted = true;
    work_post();
}

/* A part: all of it would keep the hart for long. */
static unsigned help_step(uint64_t now)
{
    (void)now;
    if (!help_wanted) {
        return WORK_NOTHING;
    }
    monitor_log_resume(&parts, false);
    monitor_puts(help[parts.told]);
    monitor_log_note_part(&parts);
    if (parts.told != PARTS) {
        return WORK_DONE | WORK_SAME;
    }
    parts.told = 0;
    help_wanted = false;
    return WORK_DONE;
}

WORK(help, NULL, help_step);

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
        if (console_control != NULL && byte == COTENANT_CONTROL_START) {
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

/* A length, then so many bytes of a request. Another length is none, and ends the frame. */
static void control_input(struct console_mux *mux, uint8_t byte)
{
    if (mux->in_state == CONSOLE_FRAME_LENGTH) {
        mux->in_left = byte <= COTENANT_FRAME_MAX_PAYLOAD ? byte : 0;
    } else {
        console_control_take(byte);
        mux->in_left--;
    }
    mux->in_state = mux->in_left != 0 ? CONSOLE_FRAME_PAYLOAD : CONSOLE_FRAME_IDLE;
}

/* What follows the start of a frame of the control protocol is no key. */
static void terminal_input(struct console_mux *mux, uint8_t byte)
{
    if (console_is_in_control_frame(mux)) {
        control_input(mux, byte);
    } else {
        keys_input(mux, byte);
    }
}

static uint32_t receiver(const struct console_mux *mux)
{
    return mux->focus;
}

FEATURE(terminal);
CONSOLE_FORM(terminal) = {
    .mode = COTENANT_CONSOLE_MUX,
    .next = terminal_next,
    .input = terminal_input,
    .receiver = receiver,
    .enough = CONSOLE_LINE_MAX,
    .hold_ticks = 20,
    .answers_between = true,
};

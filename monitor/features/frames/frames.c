/* SPDX-License-Identifier: BSD-2-Clause */
/* Framed mode: frames of abi/console.h in both directions, and the commands on channel 0. */
#include <stddef.h>

#include "abi/bundle.h"
#include "abi/console.h"
#include "core/console_form.h"
#include "core/feature.h"
#include "core/work.h"
#include "features/commands/telling.h"
#include "features/frames/run.h"

static int channel_of(const struct console_mux *mux, uint32_t source)
{
    if (source == console_control_source(mux)) {
        return COTENANT_CONTROL_CHANNEL;
    }
    return source == mux->tenant_count ? COTENANT_CHANNEL_MONITOR
                                       : (int)source + COTENANT_CHANNEL_FIRST_TENANT;
}

static int frames_next(struct console_mux *mux)
{
    int byte;

    switch (mux->out_state) {
    case CONSOLE_FRAME_CHANNEL:
        mux->out_state = CONSOLE_FRAME_LENGTH;
        return channel_of(mux, mux->turn);
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

/* A message in parts, with a NULL behind them: see features/commands/telling.h. */
static void say(const char *const *parts)
{
    const char **answer = tell_answer();

    *answer++ = "monitor: ";
    do {
        *answer++ = *parts;
    } while (*parts++ != NULL);
    work_post();
}

static const char *const no_tenant[] = {"no such tenant\n", NULL};
static const char *const no_console[] = {"no such console\n", NULL};
static const char *const no_command[] = {"unknown command, give help\n", NULL};
static const char *const too_long[] = {"command too long\n", NULL};
static const char *const no_watch[] = {
    "unknown watch, give NAME off, ",
    "log, restart or stop, ",
    "and a time of 1ms or more\n",
    NULL,
};
static const char *const help[] = {
    "stats, quit, focus NAME, ",
    "load NAME, start NAME, ",
    "stop NAME, restart NAME, ",
    "destroy NAME, switch NAME, ",
    "watch NAME off|log|restart|stop",
    " [TIME]\n",
    NULL,
};

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

/* Returns the index of a tenant; CONSOLE_NO_TENANT, which is said, if there is none of the name. */
static uint32_t find_tenant(const struct console_mux *mux, const char *name)
{
    for (uint32_t tenant = 0; tenant < mux->tenant_count; tenant++) {
        if (is_text(name, mux->names[tenant])) {
            return tenant;
        }
    }
    say(no_tenant);
    return CONSOLE_NO_TENANT;
}

/* Returns whether the line is a command for a tenant. */
static bool run_tenant_command(struct console_mux *mux)
{
    for (uint32_t command = 0; command < COMMAND_COUNT; command++) {
        const char *name = after_word(mux->command, tenant_command_names[command]);

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

static const char *const policies[] = {
    [COTENANT_WATCH_OFF] = "off",
    [COTENANT_WATCH_LOG] = "log",
    [COTENANT_WATCH_RESTART] = "restart",
    [COTENANT_WATCH_STOP] = "stop",
};
#define POLICIES (sizeof(policies) / sizeof(policies[0]))

/* Cuts the line at the first space; returns what follows it, or an empty text. */
static char *cut_word(char *line)
{
    while (*line != ' ' && *line != '\0') {
        line++;
    }
    if (*line == ' ') {
        *line++ = '\0';
    }
    return line;
}

/* A time such as 50ms, in microseconds; 0: it is none, or out of range. */
static uint32_t time_of(char *text)
{
    static const struct {
        const char *name;
        uint32_t microseconds;
    } units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    uint64_t number = 0;

    while (*text >= '0' && *text <= '9' && number <= UINT32_MAX) {
        number = number * 10 + (uint64_t)(*text - '0');
        text++;
    }
    for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (is_text(text, units[i].name) && number <= UINT32_MAX / units[i].microseconds) {
            number *= units[i].microseconds;
            return number < COTENANT_WATCH_LEAST_US ? 0 : (uint32_t)number;
        }
    }
    return 0;
}

/* "watch NAME POLICY" or "watch NAME POLICY TIME", without the first word. */
static void run_watch(struct console_mux *mux, char *name)
{
    char *policy = cut_word(name);
    char *time = cut_word(policy);
    uint32_t tenant = find_tenant(mux, name);
    uint32_t within_us = time_of(time);

    if (tenant == CONSOLE_NO_TENANT) {
        return;
    }
    for (uint32_t i = 0; i < POLICIES; i++) {
        if (is_text(policy, policies[i]) && (*time == '\0' || within_us != 0)) {
            mux->requests |= CONSOLE_REQUEST_WATCH;
            mux->commanded = tenant;
            mux->watch_policy = i;
            mux->watch_within_us = within_us;
            return;
        }
    }
    say(no_watch);
}

static void run_command(struct console_mux *mux)
{
    const char *name = after_word(mux->command, "focus");
    const char *watched = after_word(mux->command, "watch");

    if (watched != NULL) {
        run_watch(mux, mux->command + (watched - mux->command));
        return;
    }
    if (is_text(mux->command, "stats")) {
        mux->requests |= CONSOLE_REQUEST_STATS;
        return;
    }
    if (is_text(mux->command, "help")) {
        say(help);
        return;
    }
    if (is_text(mux->command, "quit")) {
        mux->requests |= CONSOLE_REQUEST_QUIT;
        return;
    }
    if (name != NULL) {
        uint32_t tenant = find_tenant(mux, name);

        if (tenant != CONSOLE_NO_TENANT && !console_mux_set_focus(mux, tenant)) {
            say(no_console);
        }
    } else if (!run_tenant_command(mux)) {
        say(no_command);
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
        say(too_long);
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
    } else if (mux->in_channel == COTENANT_CONTROL_CHANNEL) {
        console_control_take(byte);
    } else {
        console_deliver(mux, mux->in_channel - COTENANT_CHANNEL_FIRST_TENANT, byte);
    }
    mux->in_left--;
    if (mux->in_left == 0) {
        mux->in_state = CONSOLE_FRAME_IDLE;
    }
}

static void frames_input(struct console_mux *mux, uint8_t byte)
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

static uint32_t receiver(const struct console_mux *mux)
{
    if (mux->in_state == CONSOLE_FRAME_PAYLOAD && mux->in_channel != COTENANT_CHANNEL_MONITOR) {
        return mux->in_channel - COTENANT_CHANNEL_FIRST_TENANT;
    }
    return CONSOLE_NO_TENANT;
}

FEATURE(frames);
CONSOLE_FORM(framed) = {
    .mode = COTENANT_CONSOLE_FRAMED,
    .next = frames_next,
    .run = frames_run,
    .input = frames_input,
    .receiver = receiver,
    .enough = COTENANT_FRAME_MAX_PAYLOAD,
    .hold_ticks = 1,
};

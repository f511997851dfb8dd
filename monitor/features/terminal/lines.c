/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of mux mode: raw bytes of the tenant in focus, whole lines of all other tenants. */
#include "features/terminal/lines.h"

#include "abi/limits.h"
#include "core/console_form.h"
#include "core/monitor_log.h"
#include "core/wanted.h"
#include "features/terminal/filter.h"

#define MONITOR_NAME "monitor"
/* The monitor's messages name it themselves, for framed mode. */
#define MONITOR_MESSAGE_PREFIX "monitor: "

/* Raw bytes after which others get a line in, although the line of the tenant has not ended. */
#define FOCUS_RUN_MAX 256
/*
 * Ticks for which a line of the tenant in focus that has begun is not broken although it does not
 * go on at the moment: kernels pause after each character. A prompt stands for longer.
 */
#define WHOLE_LINE_TICKS 4
/* Bytes taken out at a time: longer than any escape sequence in use. Then this stands for them. */
#define FILTER_RUN_MAX 32
#define FILTER_MARK '.'

#define DELETE 0x7f

/* Of the line that is being sent: there is one console. */
static struct console_filter filter;

static void enter(struct console_mux *mux, enum console_line_state state)
{
    mux->line_state = state;
    mux->line_position = 0;
}

/* Sends the two bytes of an end of line, then goes on to `next`. */
static int next_of_line_end(struct console_mux *mux, enum console_line_state next)
{
    if (mux->line_position == 0) {
        mux->line_position = 1;
        return '\r';
    }
    enter(mux, next);
    return '\n';
}

static void begin_text(struct console_mux *mux)
{
    enter(mux, CONSOLE_LINE_TEXT);
    console_filter_begin(&filter);
    if (mux->turn == mux->tenant_count) {
        monitor_log_skip(MONITOR_MESSAGE_PREFIX);
    }
}

static int next_of_prefix(struct console_mux *mux)
{
    const char *name = mux->turn == mux->tenant_count ? MONITOR_NAME : mux->names[mux->turn];
    uint32_t position = mux->line_position++;

    if (position == 0) {
        return '[';
    }
    if (mux->last_byte == ']') {
        begin_text(mux);
        return ' ';
    }
    if (position > COTENANT_NAME_SIZE || name[position - 1] == '\0') {
        return ']';
    }
    return name[position - 1] > ' ' && name[position - 1] < DELETE && name[position - 1] != ']'
               ? name[position - 1]
               : '?';
}

/* Looks at interrupts behind each byte that it takes: the next step goes on with what is left. */
static int next_of_text(struct console_mux *mux)
{
    for (uint32_t i = 0; i < FILTER_RUN_MAX; i++) {
        int byte = console_filter_next(&filter);

        if (byte >= 0) {
            return byte;
        }
        byte = mux->line_position < CONSOLE_LINE_MAX ? console_source_next(mux, mux->turn) : -1;
        if (byte < 0 || byte == '\n') {
            enter(mux, CONSOLE_LINE_END);
            return next_of_line_end(mux, CONSOLE_LINE_NONE);
        }
        mux->line_position++;
        console_filter_put(&filter, (uint8_t)byte);
        if (step_is_over()) {
            return -1;
        }
    }
    return FILTER_MARK;
}

/*
 * No source is in the middle of another one's line: the tenant in focus goes on, unless
 * another source waits and the focus is at the start of a line, long at it, or silent in one that
 * began a while ago.
 */
static int next_choice(struct console_mux *mux)
{
    uint32_t focus = mux->focus < mux->tenant_count ? mux->focus : CONSOLE_NO_SOURCE;
    bool focus_waits = focus != CONSOLE_NO_SOURCE && console_source_used(mux, focus) != 0;
    bool at_start = mux->last_byte == '\n';
    bool rests = at_start || mux->line_ticks >= WHOLE_LINE_TICKS || mux->flushing;
    bool had_its_turn = (at_start && mux->focus_run > 0) || mux->focus_run >= FOCUS_RUN_MAX;
    bool others_turn = focus_waits ? had_its_turn : rests;
    int byte;

    if (others_turn && console_choose_source(mux, focus)) {
        mux->focus_run = 0;
        enter(mux, at_start ? CONSOLE_LINE_PREFIX : CONSOLE_LINE_BREAK);
        return at_start ? next_of_prefix(mux) : next_of_line_end(mux, CONSOLE_LINE_PREFIX);
    }
    if (!focus_waits) {
        return -1;
    }
    if (mux->focus_run < FOCUS_RUN_MAX) {
        mux->focus_run++;
    }
    if (at_start) {
        mux->line_ticks = 0;
    }
    byte = console_source_next(mux, focus);
    return byte == COTENANT_CONTROL_START ? FILTER_MARK : byte;
}

/* A frame of an answer of the control protocol; whatever it interrupts goes on behind it. */
static int begin_control_frame(struct console_mux *mux)
{
    uint32_t waiting = console_control_waiting();

    mux->out_left = waiting < COTENANT_FRAME_MAX_PAYLOAD ? waiting : COTENANT_FRAME_MAX_PAYLOAD;
    mux->out_state = CONSOLE_FRAME_LENGTH;
    mux->control_pause = COTENANT_FRAME_MAX_PAYLOAD;
    return COTENANT_CONTROL_START;
}

static int next_of_control_frame(struct console_mux *mux)
{
    if (mux->out_state == CONSOLE_FRAME_LENGTH) {
        mux->out_state = CONSOLE_FRAME_PAYLOAD;
        return (int)mux->out_left;
    }
    mux->out_left--;
    if (mux->out_left == 0) {
        mux->out_state = CONSOLE_FRAME_IDLE;
    }
    return console_source_next(mux, console_control_source(mux));
}

static int next_of_lines(struct console_mux *mux)
{
    switch (mux->line_state) {
    case CONSOLE_LINE_BREAK:
        return next_of_line_end(mux, CONSOLE_LINE_PREFIX);
    case CONSOLE_LINE_PREFIX:
        return next_of_prefix(mux);
    case CONSOLE_LINE_TEXT:
        return next_of_text(mux);
    case CONSOLE_LINE_END:
        return next_of_line_end(mux, CONSOLE_LINE_NONE);
    case CONSOLE_LINE_NONE:
        break;
    }
    return next_choice(mux);
}

int terminal_next(struct console_mux *mux)
{
    int byte;

    if (mux->out_state != CONSOLE_FRAME_IDLE) {
        return next_of_control_frame(mux);
    }
    if (console_control_waiting() != 0 && mux->control_pause == 0) {
        return begin_control_frame(mux);
    }
    byte = next_of_lines(mux);
    if (byte >= 0) {
        mux->last_byte = (uint8_t)byte;
        mux->control_pause -= mux->control_pause != 0;
    } else if (console_control_waiting() != 0) {
        return begin_control_frame(mux);
    }
    return byte;
}

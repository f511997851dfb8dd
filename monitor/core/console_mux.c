/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/console_mux.h"

#include "core/console_form.h"
#include "core/monitor_log.h"

/* Ticks after which a tenant that takes no input holds up the line no longer: 5 s. */
#define STALL_TICKS 500

const struct console_control *console_control;

/* Without a form for the mode: the bytes as they come, and input for the tenant in focus. */
static int plain_next(struct console_mux *mux)
{
    if (console_source_used(mux, mux->turn) == 0 &&
        !console_choose_source(mux, CONSOLE_NO_SOURCE)) {
        return -1;
    }
    return console_source_next(mux, mux->turn);
}

static void plain_input(struct console_mux *mux, uint8_t byte)
{
    console_deliver(mux, mux->focus, byte);
}

static uint32_t plain_receiver(const struct console_mux *mux)
{
    return mux->focus;
}

static const struct console_form plain = {
    .next = plain_next,
    .input = plain_input,
    .receiver = plain_receiver,
    .enough = 1,
};

static const struct console_form *form_of(uint32_t mode)
{
    FOR_EACH_IN_TABLE(console_forms, form)
    {
        if (form->mode == mode) {
            return form;
        }
    }
    return &plain;
}

__attribute__((cold)) void console_mux_init(struct console_mux *mux, uint32_t mode, uint8_t escape,
                                            uint32_t focus, struct vuart *const *uarts,
                                            const char *const *names, uint32_t count)
{
    *mux = (struct console_mux){0};
    mux->form = form_of(mode);
    mux->escape = escape;
    mux->tenant_count = count < COTENANT_MAX_TENANTS ? count : COTENANT_MAX_TENANTS;
    mux->focus = focus;
    mux->turn = mux->tenant_count - 1; /* what the monitor says about the start goes first */
    mux->last_byte = '\n';
    for (uint32_t tenant = 0; tenant < mux->tenant_count; tenant++) {
        mux->uarts[tenant] = uarts[tenant];
        mux->names[tenant] = names[tenant];
    }
}

static bool has_console(const struct console_mux *mux, uint32_t tenant)
{
    return tenant < mux->tenant_count && mux->uarts[tenant] != NULL;
}

uint32_t console_source_used(const struct console_mux *mux, uint32_t source)
{
    if (source == mux->tenant_count) {
        return monitor_log_used();
    }
    if (source == console_control_source(mux)) {
        return console_control_waiting();
    }
    return has_console(mux, source) ? vuart_transmit_used(mux->uarts[source]) : 0;
}

int console_source_next(struct console_mux *mux, uint32_t source)
{
    if (source == mux->tenant_count) {
        return monitor_log_next();
    }
    if (source == console_control_source(mux)) {
        return console_control == NULL ? -1 : console_control->next();
    }
    return has_console(mux, source) ? vuart_transmit_next(mux->uarts[source]) : -1;
}

/* There is output of a source, and it need not wait for more. */
static __attribute__((flatten)) bool is_ready(const struct console_mux *mux, uint32_t source)
{
    uint32_t used = console_source_used(mux, source);

    if (used == 0) {
        return false;
    }
    if (source >= mux->tenant_count || mux->flushing) {
        return true;
    }
    return mux->uarts[source]->transmit_lines != 0 || used >= mux->form->enough ||
           mux->held_ticks[source] >= mux->form->hold_ticks;
}

static bool has_frames_of_its_own(const struct console_mux *mux, uint32_t source)
{
    return mux->form->answers_between && source == console_control_source(mux);
}

bool console_choose_source(struct console_mux *mux, uint32_t except)
{
    uint32_t source = mux->turn;

    for (uint32_t i = 0; i <= console_control_source(mux); i++) {
        source = source < console_control_source(mux) ? source + 1 : 0;
        if (source != except && is_ready(mux, source) && !has_frames_of_its_own(mux, source)) {
            mux->turn = source;
            if (source < mux->tenant_count) {
                mux->held_ticks[source] = 0;
            }
            return true;
        }
    }
    return false;
}

bool console_mux_has_output(const struct console_mux *mux)
{
    if (mux->line_state != CONSOLE_LINE_NONE || mux->out_state != CONSOLE_FRAME_IDLE) {
        return true;
    }
    for (uint32_t source = 0; source <= console_control_source(mux); source++) {
        if (console_source_used(mux, source) != 0) {
            return true;
        }
    }
    return false;
}

void console_mux_flush(struct console_mux *mux)
{
    mux->flushing = true;
}

void console_deliver(struct console_mux *mux, uint32_t tenant, uint8_t byte)
{
    if (!has_console(mux, tenant) || mux->uarts[tenant]->closed) {
        mux->input_dropped++;
    } else {
        vuart_receive(mux->uarts[tenant], byte); /* counts what it has no room for */
    }
}

void console_mux_input(struct console_mux *mux, uint8_t byte)
{
    mux->form->input(mux, byte);
}

static uint32_t next_receiver(const struct console_mux *mux)
{
    return console_is_in_control_frame(mux) ? CONSOLE_NO_TENANT : mux->form->receiver(mux);
}

static bool is_full(const struct console_mux *mux, uint32_t tenant)
{
    return has_console(mux, tenant) && !mux->uarts[tenant]->closed &&
           ring_space(&mux->uarts[tenant]->receive) == 0;
}

bool console_mux_can_accept(const struct console_mux *mux)
{
    uint32_t tenant = next_receiver(mux);

    if (console_is_in_control_frame(mux) && console_control_waiting() != 0) {
        return false; /* the answer goes to the same line, so this does not last */
    }
    return !is_full(mux, tenant) || mux->stalled_ticks[tenant] >= STALL_TICKS;
}

/*
 * Counts the ticks in which a tenant whose input waits took nothing. A tenant that reads, however
 * slowly, is not stalled, although its ring is full again whenever we look.
 */
static void watch_receiver(struct console_mux *mux, uint32_t tenant, bool awaited)
{
    uint32_t taken = has_console(mux, tenant) ? mux->uarts[tenant]->receive.tail : 0;

    if (!is_full(mux, tenant) || taken != mux->taken_before[tenant]) {
        mux->stalled_ticks[tenant] = 0;
    } else if (awaited && mux->stalled_ticks[tenant] < STALL_TICKS) {
        mux->stalled_ticks[tenant]++;
    }
    mux->taken_before[tenant] = taken;
}

void console_mux_tick(struct console_mux *mux)
{
    uint32_t receiver = next_receiver(mux);

    mux->line_ticks++;
    for (uint32_t tenant = 0; tenant < mux->tenant_count; tenant++) {
        if (console_source_used(mux, tenant) == 0) {
            mux->held_ticks[tenant] = 0;
        } else if (mux->held_ticks[tenant] < UINT8_MAX) {
            mux->held_ticks[tenant]++;
        }
        watch_receiver(mux, tenant, tenant == receiver);
    }
}

bool console_mux_needs_tick(const struct console_mux *mux)
{
    return !console_mux_can_accept(mux) || console_mux_has_output(mux);
}

bool console_mux_set_focus(struct console_mux *mux, uint32_t tenant)
{
    if (!has_console(mux, tenant)) {
        return false;
    }
    mux->focus = tenant;
    monitor_log_begin();
    monitor_puts("focus ");
    monitor_puts(mux->names[tenant]);
    monitor_puts("\n");
    return true;
}

void console_request_command(struct console_mux *mux, uint32_t tenant, enum tenant_command command)
{
    if (tenant < mux->tenant_count) {
        mux->requests |= CONSOLE_REQUEST_TENANT;
        mux->commanded = tenant;
        mux->tenant_command = command;
    }
}

uint32_t console_mux_take_requests(struct console_mux *mux)
{
    uint32_t requests = mux->requests;

    mux->requests = 0;
    return requests;
}

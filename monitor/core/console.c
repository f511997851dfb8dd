/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/console.h"

#include <stddef.h>

#include "core/clock.h"
#include "core/console_mux.h"
#include "core/control.h"
#include "core/features.h"
#include "core/foreground.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/statistics.h"
#include "core/stopping.h"
#include "core/symptoms.h"
#include "core/tenant_commands.h"
#include "core/trace.h"
#include "core/wanted.h"
#include "core/watch.h"
#include "core/work.h"
#include "device/reset.h"
#include "device/uart.h"
#include "irq/routing.h"
#include "vdev/virtio.h"

/* Most bytes received or sent by one step. */
#define STEP_BYTES 8
/* Whoever holds the line may do everything. */
#define ALL_TENANTS UINT32_MAX
_Static_assert(STEP_BYTES <= UART_BURST, "the UART is asked once a step");

static struct {
    struct console_mux mux;
    struct uart uart;
    struct hart *hart;
    uint64_t tick; /* ticks of mtime between ticks of the multiplexer */
    uint64_t tick_due;
    bool input_ready; /* the UART's receive interrupt is off, bytes wait in it */
    bool quitting;
    uint32_t turn;      /* kind of work that the last step did */
    uint32_t refreshed; /* the tenant whose interrupt line was last looked at */
    bool cut_short;     /* the last step did not get to all of them */
    struct statistics_report report;
    struct control_link control; /* of whoever holds the line */
} console;

void console_init(struct hart *hart)
{
    const struct bundle_board *board = &bundle->board;
    struct vuart *uarts[COTENANT_MAX_TENANTS];
    const char *names[COTENANT_MAX_TENANTS];

    control_init(&console.control, CONTROL_OUTSIDE, ALL_TENANTS, ALL_TENANTS);
    for (uint32_t i = 0; i < tenant_count; i++) {
        uarts[i] = &tenants[i].uart;
        names[i] = tenants[i].description->name;
    }
    console_mux_init(&console.mux,
                     bundle->console.mode == COTENANT_CONSOLE_FRAMED ? &console_framed
                                                                     : &console_terminal,
                     bundle->console.mode, (uint8_t)bundle->console.escape, bundle->console.focus,
                     uarts, names, tenant_count, &console.control);
    uart_init(&console.uart, board->uart_kind, board->uart_base, board->uart_register_shift,
              board->uart_divisor);
    uart_set_receive_interrupt(&console.uart, true);
    console.hart = hart;
    console.tick = ticks_from_us(CONSOLE_TICK_MS * 1000);
    console.tick_due = 0;
    work_init(hart);
    work_post();
}

static void receive_step(void)
{
    for (unsigned i = 0; i < STEP_BYTES && console_mux_can_accept(&console.mux); i++) {
        int byte = uart_receive(&console.uart);

        if (byte < 0) {
            console.input_ready = false;
            uart_set_receive_interrupt(&console.uart, true);
            return;
        }
        console_mux_input(&console.mux, (uint8_t)byte);
        if (hart_is_wanted()) {
            return;
        }
    }
}

/* Returns whether bytes were sent or could not be sent yet. */
static bool transmit_step(void)
{
    uint32_t count = 0;

    if (!uart_transmit_ready(&console.uart)) {
        return true;
    }
    while (count < STEP_BYTES) {
        int next = console_mux_next(&console.mux);

        if (next < 0) {
            break;
        }
        uart_transmit(&console.uart, (uint8_t)next);
        count++;
        if (hart_is_wanted()) {
            break;
        }
    }
    return count != 0;
}

/* Carries out what was typed, and answers. */
static void command_tenant(struct tenant *tenant, enum tenant_command command)
{
    const char *name = tenant->description->name;
    enum tenant_state before = tenant->state;
    bool accepted = tenant_commands_take(tenant, command);

    monitor_log_begin_answer();
    monitor_puts("monitor: ");
    monitor_puts(tenant_command_names[command]);
    monitor_puts(" ");
    monitor_puts(name);
    if (accepted) {
        monitor_puts(": ok\n");
    } else {
        monitor_puts(": refused, it is ");
        monitor_puts(tenant_state_name(before));
        monitor_puts(foreground_is_free_for(tenant) ? "\n" : ", and not in the foreground\n");
    }
}

static void change_watch(struct tenant *tenant)
{
    bool accepted = watch_change(tenant, console.mux.watch_policy, console.mux.watch_within_us,
                                 hart_now(console.hart));

    monitor_log_begin_answer();
    monitor_puts("monitor: ");
    monitor_puts("watch ");
    monitor_puts(tenant->description->name);
    monitor_puts(accepted ? ": ok\n" : ": refused, it was never given a time\n");
}

static void quit(void)
{
    console.quitting = true;
    tenant_commands_close();
}

static void handle_requests(void)
{
    uint32_t requests = console_mux_take_requests(&console.mux);

    if (FEATURE_COMMANDS && (requests & (CONSOLE_REQUEST_STATS | CONSOLE_REQUEST_LIST)) != 0) {
        statistics_begin(&console.report);
    }
    if ((requests & CONSOLE_REQUEST_QUIT) != 0) {
        quit();
        foreground_close();
    }
    if (FEATURE_COMMANDS && (requests & CONSOLE_REQUEST_TENANT) != 0) {
        command_tenant(&tenants[console.mux.commanded], console.mux.tenant_command);
    }
    if (FEATURE_FRAMES && (requests & CONSOLE_REQUEST_WATCH) != 0) {
        change_watch(&tenants[console.mux.commanded]);
    }
}

/* On the way to power-off: one tenant a step, then what they and the monitor said last. */
static void quit_step(void)
{
    const struct reset reset = {bundle->board.reset_kind, bundle->board.reset_base};

    for (uint32_t i = 0; i < tenant_count; i++) {
        if (tenants[i].state == TENANT_RUNNING || tenants[i].state == TENANT_LOADING) {
            tenant_halt(&tenants[i], TENANT_STOPPED);
            return;
        }
    }
    if (stopping_waits() || symptoms_tell()) {
        return; /* it may have something to say */
    }
    console_mux_flush(&console.mux);
    if (!console_mux_has_output(&console.mux) && uart_transmit_done(&console.uart)) {
        reset_power_off(&reset);
    }
}

/*
 * Returns false if the hart is wanted before all of them are done. They take turns, and when the
 * last step left some out this one does one at least: the hart may be wanted in each step.
 */
static bool refresh_interrupt_lines(void)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        if ((i != 0 || !console.cut_short) && hart_is_wanted()) {
            console.cut_short = true;
            return false;
        }
        console.refreshed = console.refreshed + 1 < tenant_count ? console.refreshed + 1 : 0;
        routing_refresh_uart(&tenants[console.refreshed]);
    }
    console.cut_short = hart_is_wanted();
    return !console.cut_short;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void set_next_step(uint64_t now, bool busy)
{
    uint64_t deadline = earlier(watch_deadline(), virtio_deadline());

    if (busy || statistics_in_progress(&console.report) ||
        (console.input_ready && console_mux_can_accept(&console.mux))) {
        work_go_on(now);
    } else if (console_mux_needs_tick(&console.mux) || foreground_waits()) {
        work_rest(earlier(console.tick_due, deadline));
    } else {
        work_rest(earlier(CONSOLE_NEVER, deadline));
    }
}

/* One kind of work a step, so that the longest step is short; they take turns. */
static bool do_turn(uint64_t now)
{
    trace_console(console.hart);
    if (statistics_in_line(&console.report)) {
        statistics_step(&console.report, now);
        return true;
    }
    if (watch_deadline() <= now && !console.quitting) {
        watch_step(now);
        return true;
    }
    if (virtio_deadline() <= now) {
        virtio_tell_one(now);
        return true;
    }
    if (stopping_step() || symptoms_tell()) {
        return true;
    }
    if (now >= console.tick_due) {
        console_mux_tick(&console.mux);
        foreground_look(now);
        console.tick_due = now + console.tick;
        return true;
    }
    console.turn = (console.turn + 1) % 4;
    if (console.turn == 0 && console.input_ready) {
        receive_step();
        return true;
    }
    if (console.turn == 1 && statistics_in_progress(&console.report)) {
        statistics_step(&console.report, now);
        return true;
    }
    if (console.turn == 2 && !statistics_in_progress(&console.report) && foreground_tell()) {
        return true;
    }
    return transmit_step();
}

void console_step(uint64_t now)
{
    bool busy;

    handle_requests(); /* of the last step: before the next one brings more */
    busy = do_turn(now);
    /*
     * Whoever is due goes first; what is left out is as well done by the next step. But a tenant
     * that sleeps for short times can see to it that another one is due in each step: the way to
     * power-off goes on all the same.
     */
    if (!refresh_interrupt_lines() && !console.quitting) {
        set_next_step(now, true);
        return;
    }
    handle_requests();
    if (lifecycle_is_over() && !tenant_commands_keep_on()) {
        quit();
    }
    if (console.quitting) {
        quit_step();
        busy = true;
    }
    set_next_step(now, busy);
    if (stopping_waits()) {
        work_hurry(now);
    }
}

void console_input_ready(void)
{
    uart_acknowledge(&console.uart);
    uart_set_receive_interrupt(&console.uart, false);
    console.input_ready = true;
    work_post();
}

/* The user goes on with whoever has the devices, without a word. */
static void takes_over(struct tenant *tenant, const struct tenant *before)
{
    if (console.mux.focus == before->index) {
        console.mux.focus = tenant->index;
    }
}

HOOK(tenant_takes_over, takes_over);

static void put_raw(char character)
{
    for (unsigned tries = 0; tries < 100000; tries++) {
        if (uart_transmit_ready(&console.uart)) {
            break;
        }
    }
    uart_transmit(&console.uart, (uint8_t)character);
}

static void put_raw_text(const char *text)
{
    for (; *text != '\0'; text++) {
        put_raw(*text);
    }
}

static void put_raw_hex(const char *label, uint64_t value)
{
    put_raw_text(label);
    for (int shift = 60; shift >= 0; shift -= 4) {
        put_raw("0123456789abcdef"[value >> shift & 15]);
    }
}

void console_failure(const char *what, uint64_t cause, uint64_t pc, uint64_t value)
{
    put_raw_text("\r\n");
    put_raw_text(what);
    put_raw_hex(": cause=0x", cause);
    put_raw_hex(" pc=0x", pc);
    put_raw_hex(" value=0x", value);
    put_raw_text("\r\n");
}

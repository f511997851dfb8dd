/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/console.h"

#include "core/clock.h"
#include "core/console_mux.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/wanted.h"
#include "core/work.h"
#include "device/uart.h"

/* Most bytes received by one step, and sent. */
#define RECEIVE_BYTES 8
#define TRANSMIT_BYTES 64

static struct {
    struct console_mux mux;
    struct uart uart;
    uint64_t tick; /* ticks of mtime between ticks of the multiplexer */
    uint64_t tick_due;
    bool input_ready;   /* the UART's receive interrupt is off, bytes wait in it */
    bool receives;      /* what the last step did, that was not for a tick */
    bool ticked;        /* the last step was for a tick */
    uint32_t refreshed; /* the tenant whose interrupt line was last looked at */
    uint32_t left;      /* of those, what the last step did not get to */
} console;

__attribute__((cold)) void console_init(void)
{
    const struct bundle_board *board = &bundle->board;
    struct vuart *uarts[COTENANT_MAX_TENANTS];
    const char *names[COTENANT_MAX_TENANTS];

    for (uint32_t i = 0; i < tenant_count; i++) {
        uarts[i] = &tenants[i].uart;
        names[i] = tenants[i].description->name;
    }
    console_mux_init(&console.mux, bundle->console.mode, (uint8_t)bundle->console.escape,
                     bundle->console.focus, uarts, names, tenant_count);
    uart_init(&console.uart, board->uart_kind, board->uart_base, board->uart_register_shift,
              board->uart_divisor);
    uart_set_receive_interrupt(&console.uart, true);
    console.tick = ticks_from_us(CONSOLE_TICK_MS * 1000);
    work_post();
}

static void receive_step(void)
{
    for (unsigned i = 0; i < RECEIVE_BYTES && console_mux_can_accept(&console.mux); i++) {
        int byte = uart_receive(&console.uart);

        if (byte < 0) {
            console.input_ready = false;
            uart_set_receive_interrupt(&console.uart, true);
            return;
        }
        console_mux_input(&console.mux, (uint8_t)byte);
        if (step_is_over()) {
            return;
        }
    }
}

/*
 * Looks for interrupts behind each piece, which is a byte where the multiplexer has to think.
 * Returns whether bytes were sent or could not be sent yet.
 */
static bool transmit_step(void)
{
    uint32_t room = 0;
    uint32_t sent = 0;

    do {
        uint8_t bytes[UART_MOST_BURST];

        if (room == 0) {
            if (!uart_transmit_ready(&console.uart) || (sent != 0 && step_is_over())) {
                return true;
            }
            room = console.uart.burst;
        }
        uint32_t count = console_mux_take(&console.mux, bytes, sent == 0 ? 1 : room);

        if (count == 0) {
            break;
        }
        uart_transmit(&console.uart, bytes, count);
        sent += count;
        room -= count;
    } while (sent < TRANSMIT_BYTES && !step_is_over());
    /* Of a line that has begun there is more: the multiplexer has seen that the step is over. */
    return sent != 0 || console.mux.line_state != CONSOLE_LINE_NONE || hart_is_wanted();
}

/* Ticks pass for the multiplexer while it needs that. */
static uint64_t tick_deadline(void)
{
    return console_mux_needs_tick(&console.mux) ? console.tick_due : TIME_NEVER;
}

/*
 * One kind of it a step; receiving and sending take turns, and no tick follows a tick: a tenant
 * that always wants the hart may leave a whole tick between two steps. Returns whether there is
 * more to do.
 */
static bool do_turn(uint64_t now)
{
    console.ticked = !console.ticked && now >= console.tick_due;
    if (console.ticked) {
        console_mux_tick(&console.mux);
        console.tick_due = now + console.tick;
        return true;
    }
    console.receives = !console.receives;
    if (console.receives && console.input_ready) {
        receive_step();
        return true;
    }
    return transmit_step() || (console.input_ready && console_mux_can_accept(&console.mux));
}

/*
 * As many as the step has time for, in turns, and one at least when the last step left some out: it
 * may be over each time. `changed`: all of them are to be looked at again. Returns whether they
 * are, or some are left.
 */
static bool refresh_interrupt_lines(bool changed)
{
    bool over = console.left == 0 && step_is_over();

    if (changed || console.left == 0) {
        console.left = tenant_count;
    }
    while (console.left != 0 && !over) {
        console.refreshed = console.refreshed + 1 < tenant_count ? console.refreshed + 1 : 0;
        vuart_refresh(&tenants[console.refreshed]);
        console.left--;
        over = step_is_over();
    }
    return changed || console.left != 0;
}

/* Returns whether there were any: what answers them is another work, whose turn it is then. */
__attribute__((cold)) static bool handle_requests(void)
{
    uint32_t requests = console_mux_take_requests(&console.mux);

    if (requests == 0) {
        return false;
    }
    if ((requests & CONSOLE_REQUEST_QUIT) != 0) {
        lifecycle_quit();
    }
    console_requests(&console.mux, &requests);
    console_request_refused(&console.mux, requests);
    return true;
}

/* What is asked for is answered by the next step: in one that is as short as the others. */
static unsigned console_step(uint64_t now)
{
    if (handle_requests()) {
        return WORK_DONE;
    }
    return refresh_interrupt_lines(do_turn(now)) ? WORK_DONE : WORK_NOTHING;
}

WORK(console, tick_deadline, console_step);

bool console_is_drained(void)
{
    console_mux_flush(&console.mux);
    return !console_mux_has_output(&console.mux) && uart_transmit_done(&console.uart);
}

void console_input_ready(void)
{
    uart_set_receive_interrupt(&console.uart, false);
    console.input_ready = true;
    work_post();
}

/* The user goes on with the tenant that has the devices, without a word. */
static void takes_over(struct tenant *tenant, const struct tenant *before)
{
    if (console.mux.focus == before->index) {
        console.mux.focus = tenant->index;
    }
}

HOOK(tenant_takes_over, takes_over);

__attribute__((cold)) static void put_raw_hex(const char *label, uint64_t value)
{
    char digits[17] = {0};

    for (int i = 0; i < 16; i++) {
        digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    }
    uart_put_text(&console.uart, label);
    uart_put_text(&console.uart, digits);
}

__attribute__((cold)) void console_failure(const char *what, uint64_t cause, uint64_t pc,
                                           uint64_t value)
{
    uart_put_text(&console.uart, "\r\n");
    uart_put_text(&console.uart, what);
    put_raw_hex(": cause=0x", cause);
    put_raw_hex(" pc=0x", pc);
    put_raw_hex(" value=0x", value);
    uart_put_text(&console.uart, "\r\n");
}

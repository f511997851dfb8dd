/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tenants print, the line brings bytes, ticks pass. What comes out in framed mode must be whole
 * frames that carry exactly what was printed; input that was admitted must not be lost; in mux
 * mode no control character of a tenant without the focus may come out.
 */
#include <assert.h>

#include "abi/bundle.h"
#include "control_bench.h"
#include "core/console_mux.h"
#include "core/hooks.h"
#include "core/monitor_log.h"
#include "features/commands/telling.h"
#include "features/plic/vuart_registers.h"
#include "fuzz.h"

#define TENANTS 3

/* What is said of commands is not told. */
const char **tell_answer(void)
{
    static const char *parts[8];

    return parts;
}

static struct console_mux mux;
static struct vuart uarts[TENANTS];
static uint8_t printed[TENANTS][1 << 16]; /* a window of what each tenant printed */
static uint16_t printed_count[TENANTS];
static uint16_t shown_count[TENANTS];

/* Where in a frame the output is. */
static struct {
    uint32_t position;
    uint8_t channel;
    uint8_t length;
} frame;

static void check_framed(uint8_t byte)
{
    uint32_t position = frame.position++;

    if (position == 0) {
        assert(byte == COTENANT_FRAME_START);
    } else if (position == 1) {
        assert(byte <= TENANTS);
        frame.channel = byte;
    } else if (position == 2) {
        assert(byte >= 1 && byte <= COTENANT_FRAME_MAX_PAYLOAD);
        frame.length = byte;
    } else if (frame.channel != COTENANT_CHANNEL_MONITOR) {
        uint32_t tenant = frame.channel - COTENANT_CHANNEL_FIRST_TENANT;

        assert(shown_count[tenant] != printed_count[tenant]);
        assert(printed[tenant][shown_count[tenant]++] == byte);
    }
    if (position >= 2 && frame.position == 3u + frame.length) {
        frame.position = 0;
    }
}

static void check_lines(uint8_t byte, bool focus_took)
{
    if (!focus_took) {
        assert(byte >= 0x20 ? byte != 0x7f : byte == '\t' || byte == '\r' || byte == '\n');
    }
}

static void drain(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t focus = mux.focus;
        uint32_t before = vuart_transmit_used(&uarts[focus]);
        bool in_line = mux.line_state != CONSOLE_LINE_NONE;
        int byte = mux.form->next(&mux);

        if (byte < 0) {
            return;
        }
        assert(byte <= 0xff);
        if (mux.form->mode == COTENANT_CONSOLE_FRAMED) {
            check_framed((uint8_t)byte);
        } else {
            check_lines((uint8_t)byte, !in_line && vuart_transmit_used(&uarts[focus]) < before);
        }
    }
}

static void print(uint32_t tenant, uint8_t byte)
{
    if (vuart_console_write(&uarts[tenant], &byte, 1) == 1) {
        printed[tenant][printed_count[tenant]++] = byte;
    }
}

static uint32_t dropped(void)
{
    uint32_t sum = 0;

    for (uint32_t tenant = 0; tenant < TENANTS; tenant++) {
        sum += uarts[tenant].receive_dropped;
    }
    return sum;
}

static void type(uint8_t byte)
{
    uint32_t before = dropped();
    bool stalled = false;

    for (uint32_t tenant = 0; tenant < TENANTS; tenant++) {
        stalled = stalled || mux.stalled_ticks[tenant] != 0;
    }
    if (console_mux_can_accept(&mux)) {
        console_mux_input(&mux, byte);
        assert(stalled || dropped() == before);
    }
    assert(mux.focus < TENANTS);
    assert(mux.command_length <= COTENANT_MONITOR_COMMAND_MAX + 1);
}

static void operate(struct fuzz_input *input)
{
    uint8_t operation = fuzz_byte(input);
    uint8_t byte = fuzz_byte(input);
    uint32_t tenant = operation / 16 % TENANTS;

    switch (operation % 16) {
    case 0:
    case 1:
    case 2:
        print(tenant, byte);
        break;
    case 3:
        for (uint32_t i = 0; i < byte; i++) {
            print(tenant, (uint8_t)(operation + i));
        }
        break;
    case 4:
        print(tenant, '\n');
        break;
    case 5:
    case 6:
        drain(byte);
        break;
    case 7:
    case 8:
    case 9:
        type(byte);
        break;
    case 10: /* the start of a frame for somebody, or an escape key */
        type(mux.form->mode == COTENANT_CONSOLE_FRAMED ? COTENANT_FRAME_START : mux.escape);
        type(mux.form->mode == COTENANT_CONSOLE_FRAMED ? byte % (TENANTS + 2) : byte);
        break;
    case 11:
        for (uint32_t i = 0; i < byte; i++) {
            type(byte);
        }
        break;
    case 12:
        for (uint32_t i = 0; i < byte; i++) {
            console_mux_tick(&mux);
        }
        break;
    case 13:
        for (uint32_t i = 0; i < byte; i++) {
            vuart_read(&uarts[tenant], 0);
        }
        break;
    case 14:
        uarts[tenant].closed = byte & 1;
        break;
    default:
        console_mux_take_requests(&mux);
        monitor_puts("monitor: word \033[2J");
        monitor_puts(byte & 1 ? "\n" : " ");
        break;
    }
}

int fuzz_console(const uint8_t *data, size_t size)
{
    static const char *const names[TENANTS] = {"linux", "freertos", "zephyr"};
    struct vuart *const pointers[TENANTS] = {&uarts[0], &uarts[1], &uarts[2]};
    struct fuzz_input input = {data, size};
    uint8_t setting = fuzz_byte(&input);

    for (uint32_t tenant = 0; tenant < TENANTS; tenant++) {
        vuart_init(&uarts[tenant]);
        printed_count[tenant] = shown_count[tenant] = 0;
    }
    frame.position = 0;
    control_bench_init();
    machine_begins(); /* the control protocol is there */
    console_mux_init(&mux, setting & 1 ? COTENANT_CONSOLE_FRAMED : COTENANT_CONSOLE_MUX, 0x14,
                     setting / 2 % TENANTS, pointers, names, TENANTS);
    while (input.size > 0) {
        operate(&input);
    }
    console_mux_flush(&mux);
    drain(1 << 17);
    assert(!console_mux_has_output(&mux));
    assert(frame.position == 0);
    return 0;
}

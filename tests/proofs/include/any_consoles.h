/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consoles of three tenants on one line, for entries of proofs: tenants that print and take any
 * number of bytes, and what is asked of the line, in any order. An entry gives the form of the line
 * its bytes, by `console_forms`.
 */
#ifndef COTENANT_TESTS_PROOFS_ANY_CONSOLES_H
#define COTENANT_TESTS_PROOFS_ANY_CONSOLES_H

#include "core/console_mux.h"
#include "core/monitor_log.h"
#include "proof.h"

#define CONSOLES 3

static struct console_mux mux;
static struct vuart uarts[CONSOLES];
static const char first_name[COTENANT_NAME_SIZE] = "first";
static const char second_name[COTENANT_NAME_SIZE] = "a-name-of-thirty-one-characters";

/* The control protocol: what it takes and gives is any number of bytes. */
static void take(uint8_t byte)
{
    (void)byte;
}

static uint32_t waiting(void)
{
    return any32();
}

static int next(void)
{
    return (int)any_up_to(256) - 1;
}

static const struct console_control protocol = {take, waiting, next};

/* The proofs of the log and of the virtual UART say that these may be called with anything. */
int vuart_transmit_next(struct vuart *uart)
{
    uart->transmit.tail = any32();
    uart->transmit_lines = any32();
    return next();
}

bool vuart_receive(struct vuart *uart, uint8_t byte)
{
    (void)byte;
    uart->receive.head = any32();
    return any_bool();
}

uint32_t monitor_log_used(void)
{
    return any32();
}

int monitor_log_next(void)
{
    return next();
}

void monitor_log_begin(void)
{
}

/* Reads a text to its end. */
void monitor_puts(const char *text)
{
    while (*text != '\0') {
        text++;
    }
}

void work_post(void)
{
}

/* Any of what is asked of the line. */
static void use_consoles(void)
{
    switch (any_up_to(10)) {
    case 0:
        if (console_mux_can_accept(&mux)) {
            console_mux_input(&mux, any8());
        }
        break;
    case 1:
        mux.form->next(&mux);
        break;
    case 2:
        console_mux_tick(&mux);
        break;
    case 3:
        console_mux_has_output(&mux);
        break;
    case 4:
        console_mux_needs_tick(&mux);
        break;
    case 5:
        console_mux_set_focus(&mux, any32());
        break;
    case 6:
        console_mux_take_requests(&mux);
        break;
    case 7:
        console_mux_flush(&mux);
        break;
    case 8:
        console_mux_input(&mux, any8());
        break;
    case 9: {
        uint8_t bytes[16];

        console_mux_take(&mux, bytes, 1 + any_up_to(15));
        break;
    }
    default:
        uarts[0].closed = any_bool();
        uarts[0].transmit.head = any32();
        uarts[1].transmit.head = any32();
        break;
    }
}

/* `mode`: COTENANT_CONSOLE_*. */
static void begin_consoles(uint32_t mode)
{
    struct vuart *places[CONSOLES] = {&uarts[0], any_bool() ? &uarts[1] : NULL, &uarts[2]};
    const char *names[CONSOLES] = {first_name, second_name, "third"};

    for (int i = 0; i < CONSOLES; i++) {
        ring_init(&uarts[i].transmit, uarts[i].transmit_data, VUART_TRANSMIT_SIZE);
    }
    console_control = any_bool() ? &protocol : NULL;
    console_mux_init(&mux, mode, 1 + any_up_to(30), any_up_to(CONSOLES - 1), places, names,
                     CONSOLES);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One physical line for the consoles of all tenants and the monitor's own messages.
 *
 * Mux mode, for a person at a terminal: the tenant in focus has the line raw. Complete lines of
 * the others and of the monitor appear in between as "[name] text", with control characters
 * taken out. The escape key starts a command (help: escape key, h).
 * Requests of the control protocol come behind the escape key and a special byte, their answers
 * behind that byte, which no tenant can print.
 * Framed mode, for the tool: every byte travels in a frame that names its channel
 * (abi/console.h); the channels take turns, a frame each.
 *
 * Text without an end of line is held back for a moment so that it travels in one piece;
 * console_mux_tick() tells that time passes. Every function takes a bounded time. M-mode with
 * interrupts off, shared lock held.
 */
#ifndef COTENANT_CORE_CONSOLE_MUX_H
#define COTENANT_CORE_CONSOLE_MUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/console.h"
#include "abi/limits.h"
#include "core/table.h"
#include "core/tenant.h"
#include "core/vuart.h"

/* Bits of console_mux_take_requests(). */
#define CONSOLE_REQUEST_QUIT 0x1u   /* power the machine off */
#define CONSOLE_REQUEST_LIST 0x2u   /* show the tenants to a person */
#define CONSOLE_REQUEST_STATS 0x4u  /* answer the command "stats" */
#define CONSOLE_REQUEST_TENANT 0x8u /* console_mux_tenant_command() */
#define CONSOLE_REQUEST_WATCH 0x10u /* the command "watch" */

/* console_mux_tick() is due this often while console_mux_needs_tick(). */
#define CONSOLE_TICK_MS 10

enum console_frame_state {
    CONSOLE_FRAME_IDLE, /* a FRAME_START is due */
    CONSOLE_FRAME_CHANNEL,
    CONSOLE_FRAME_LENGTH,
    CONSOLE_FRAME_PAYLOAD,
};

enum console_line_state {
    CONSOLE_LINE_NONE,   /* the tenant in focus has the line */
    CONSOLE_LINE_BREAK,  /* its unfinished line is being ended */
    CONSOLE_LINE_PREFIX, /* "[name] " */
    CONSOLE_LINE_TEXT,
    CONSOLE_LINE_END, /* "\r\n" */
};

struct console_mux;

/* What the line looks like: a form for each mode, which registers itself. */
struct console_form {
    uint32_t mode; /* COTENANT_CONSOLE_* */
    /* The next byte for the physical line; -1: nothing for now. */
    int (*next)(struct console_mux *mux);
    /*
     * Up to `room` further bytes, if they are a tenant's as they are and what they are part of has
     * begun; 0: next() knows. NULL: always 0.
     */
    uint32_t (*run)(struct console_mux *mux, uint8_t *bytes, uint32_t room);
    /* A byte arrived. */
    void (*input)(struct console_mux *mux, uint8_t byte);
    /* The tenant that the next byte goes to, as far as is known before it is read. */
    uint32_t (*receiver)(const struct console_mux *mux);
    uint32_t enough;      /* bytes of text without an end of line that need not wait for more */
    uint8_t hold_ticks;   /* for which other text without one is held back */
    bool answers_between; /* answers of the control protocol come between the bytes of the rest */
};

TABLE(const struct console_form, console_forms);

#define CONSOLE_FORM(name) static const struct console_form name TABLE_ENTRY(console_forms)

/* Where requests of the control protocol go that come on the line, and where answers come from. */
struct console_control {
    void (*take)(uint8_t byte);
    uint32_t (*waiting)(void); /* bytes of the answer */
    int (*next)(void);         /* the next one of them; -1: there is none */
};

/* NULL: there is none. Fixed when the multiplexer begins. */
extern const struct console_control *console_control;

struct console_mux {
    const struct console_form *form;
    uint8_t escape;
    bool flushing; /* nothing is held back any more */
    uint32_t tenant_count;
    struct vuart *uarts[COTENANT_MAX_TENANTS];    /* NULL: no console */
    const char *names[COTENANT_MAX_TENANTS];      /* zero-terminated, below COTENANT_NAME_SIZE */
    uint16_t stalled_ticks[COTENANT_MAX_TENANTS]; /* ticks that it took no input, with no room */
    uint32_t taken_before[COTENANT_MAX_TENANTS];  /* bytes it had taken at the last tick */
    uint8_t held_ticks[COTENANT_MAX_TENANTS];     /* ticks that text without an end has waited */
    uint32_t focus;                               /* index; meaningless without tenants */
    uint32_t requests;                            /* CONSOLE_REQUEST_* */
    uint32_t input_dropped;                       /* bytes for no tenant or for a closed one */

    /* Output. Source n is tenant n, then the monitor, then answers of the control protocol. */
    uint32_t turn;          /* source that has, or had last, a line or frame */
    uint8_t last_byte;      /* mux mode: last one that went out, answers of the protocol aside */
    uint32_t control_pause; /* bytes of others that come before the next frame of an answer */
    enum console_line_state line_state;
    uint32_t line_position; /* bytes of the present piece that were sent or taken out */
    uint32_t focus_run;     /* raw bytes since another tenant had the line */
    uint32_t line_ticks;    /* ticks since a raw line began */
    enum console_frame_state out_state;
    uint32_t out_left; /* payload bytes that follow */

    /* Input. */
    bool escape_seen;
    enum console_frame_state in_state;
    uint32_t in_channel;
    uint32_t in_left; /* payload bytes that follow */
    uint32_t command_length;
    char command[COTENANT_MONITOR_COMMAND_MAX + 1];
    enum tenant_command tenant_command; /* with CONSOLE_REQUEST_TENANT */
    uint32_t commanded;                 /* index of the tenant */
    /* With CONSOLE_REQUEST_WATCH, for the tenant `commanded`: arguments of watch_change(). */
    uint32_t watch_policy;
    uint32_t watch_within_us;
};

/*
 * `mode`: a COTENANT_CONSOLE_*; `escape` a control character 1..31, `focus` the index of a tenant.
 * `uarts` and `names` have `count` (0..COTENANT_MAX_TENANTS) entries each, which stay where they
 * are; a NULL uart is a tenant without a console.
 */
void console_mux_init(struct console_mux *mux, uint32_t mode, uint8_t escape, uint32_t focus,
                      struct vuart *const *uarts, const char *const *names, uint32_t count);

/*
 * The next bytes for the physical line, at most `room` (1 or more): as many as are known at once.
 * Returns how many; 0: nothing for now, or the hart is wanted. Takes from the transmit rings: the
 * caller looks at vuart_interrupt() of the tenants afterwards.
 */
static inline uint32_t console_mux_take(struct console_mux *mux, uint8_t *bytes, uint32_t room)
{
    const struct console_form *form = mux->form;
    uint32_t count = room == 1 || form->run == NULL ? 0 : form->run(mux, bytes, room);

    if (count == 0) {
        int next = form->next(mux);

        bytes[0] = (uint8_t)next;
        count = next >= 0;
    }
    return count;
}

/* Something is left to send, perhaps only after some more ticks. */
bool console_mux_has_output(const struct console_mux *mux);

/*
 * Nothing is held back any longer: for the last words before power-off, until
 * console_mux_has_output() is false.
 */
void console_mux_flush(struct console_mux *mux);

/* A byte arrived on the physical line. The caller looks at vuart_interrupt() afterwards. */
void console_mux_input(struct console_mux *mux, uint8_t byte);

/*
 * The next byte can be taken. False: its tenant has no room; leave it in the UART (and its receive
 * interrupt off) until this is true again. Ask before every byte. A tenant that takes nothing for
 * 5 s of ticks holds the line up no longer: what comes for it is then dropped.
 */
bool console_mux_can_accept(const struct console_mux *mux);

/* 10 ms (CONSOLE_TICK_MS) have passed. Needed only while console_mux_needs_tick(). */
void console_mux_tick(struct console_mux *mux);

/* Text is held back, or input waits for room: ticks are needed. */
bool console_mux_needs_tick(const struct console_mux *mux);

/* Gives the keyboard to a tenant and says so; false: no such tenant. */
bool console_mux_set_focus(struct console_mux *mux, uint32_t tenant);

/* What the person or the tool asked for since the last call: CONSOLE_REQUEST_* bits. */
uint32_t console_mux_take_requests(struct console_mux *mux);

#endif

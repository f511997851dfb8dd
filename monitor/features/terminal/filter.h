/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of a tenant's text may go to the user's terminal when the tenant does not have the focus:
 * printable ASCII, tabs, and well-formed UTF-8 (RFC 3629) of anything but control characters, each
 * character as a whole or not at all. A terminal acts on C0, on ESC and what follows it, and on C1
 * (ISO 6429), be those bytes of their own or characters of UTF-8; one that is shown half a
 * character may take the rest for a control. So bytes above 0x7f pass only as the whole character
 * that they are a part of. The terminal is one for UTF-8.
 */
#ifndef COTENANT_FEATURES_TERMINAL_FILTER_H
#define COTENANT_FEATURES_TERMINAL_FILTER_H

#include <stdint.h>

#define CONSOLE_CHARACTER_MAX 4

enum console_filter_state {
    CONSOLE_FILTER_TEXT,
    CONSOLE_FILTER_ESCAPE,  /* behind ESC */
    CONSOLE_FILTER_CONTROL, /* behind ESC [ */
};

struct console_filter {
    enum console_filter_state state;
    uint8_t bytes[CONSOLE_CHARACTER_MAX]; /* of the character that has begun */
    uint8_t length;                       /* how many of them are here */
    uint8_t wanted;                       /* how many it has; 0: none has begun */
    uint8_t shown;                        /* of a complete one: how many were given out */
};

/* A new line begins: nothing of the one before is left. */
void console_filter_begin(struct console_filter *filter);

/* Takes a byte of text, when console_filter_next() has no more. */
void console_filter_put(struct console_filter *filter, uint8_t byte);

/* The next byte that may be shown; -1: there is none before the next one is taken. */
int console_filter_next(struct console_filter *filter);

#endif

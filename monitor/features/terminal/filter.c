/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/terminal/filter.h"

#include <stdbool.h>

#define ESCAPE 0x1b
#define DELETE 0x7f
/* UTF-8: bytes that follow the first one, and what the first one can be. */
#define FOLLOWING_FIRST 0x80
#define FOLLOWING_LAST 0xbf
#define LEAD_TWO 0xc2 /* below: more bytes than the character needs */
#define LEAD_THREE 0xe0
#define LEAD_FOUR 0xf0
#define LEAD_LAST 0xf4
/*
 * Second bytes of some first ones. What is left out: controls of C1 behind 0xc2, characters of more
 * bytes than they need behind 0xe0 and 0xf0, surrogates, what is above U+10FFFF.
 */
#define AFTER_C2_OR_E0_FIRST 0xa0
#define AFTER_ED_LAST 0x9f
#define AFTER_F0_FIRST 0x90
#define AFTER_F4_LAST 0x8f

static void forget(struct console_filter *filter)
{
    filter->length = 0;
    filter->wanted = 0;
    filter->shown = 0;
}

void console_filter_begin(struct console_filter *filter)
{
    filter->state = CONSOLE_FILTER_TEXT;
    forget(filter);
}

/* Bytes of the character that begins with this one; 0: none that may be shown does. */
static uint8_t length_of(uint8_t lead)
{
    if (lead == '\t' || (lead >= ' ' && lead < DELETE)) {
        return 1;
    }
    if (lead < LEAD_TWO || lead > LEAD_LAST) {
        return 0;
    }
    if (lead < LEAD_THREE) {
        return 2;
    }
    return lead < LEAD_FOUR ? 3 : 4;
}

static bool may_be_second(uint8_t lead, uint8_t byte)
{
    switch (lead) {
    case LEAD_TWO:
    case LEAD_THREE:
        return byte >= AFTER_C2_OR_E0_FIRST;
    case 0xed:
        return byte <= AFTER_ED_LAST;
    case LEAD_FOUR:
        return byte >= AFTER_F0_FIRST;
    case LEAD_LAST:
        return byte <= AFTER_F4_LAST;
    default:
        return true;
    }
}

static bool continues(const struct console_filter *filter, uint8_t byte)
{
    return filter->wanted != 0 && byte >= FOLLOWING_FIRST && byte <= FOLLOWING_LAST &&
           (filter->length != 1 || may_be_second(filter->bytes[0], byte));
}

static void put_text(struct console_filter *filter, uint8_t byte)
{
    if (!continues(filter, byte)) {
        forget(filter);
        filter->wanted = length_of(byte);
    }
    if (filter->wanted != 0) {
        filter->bytes[filter->length] = byte;
        filter->length++;
    }
}

void console_filter_put(struct console_filter *filter, uint8_t byte)
{
    if (byte == ESCAPE) {
        forget(filter);
        filter->state = CONSOLE_FILTER_ESCAPE;
        return;
    }
    switch (filter->state) {
    case CONSOLE_FILTER_ESCAPE:
        filter->state = byte == '[' ? CONSOLE_FILTER_CONTROL : CONSOLE_FILTER_TEXT;
        break;
    case CONSOLE_FILTER_CONTROL:
        if (byte < 0x20 || byte >= 0x40) { /* not a parameter: the final byte, or an error */
            filter->state = CONSOLE_FILTER_TEXT;
        }
        break;
    case CONSOLE_FILTER_TEXT:
        put_text(filter, byte);
        break;
    }
}

int console_filter_next(struct console_filter *filter)
{
    if (filter->wanted == 0 || filter->length < filter->wanted) {
        return -1;
    }
    if (filter->shown == filter->length) {
        forget(filter);
        return -1;
    }
    return filter->bytes[filter->shown++];
}

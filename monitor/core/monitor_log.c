/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/monitor_log.h"

#include <stdbool.h>

#include "core/tenant.h"

/* The shared lock's. */
static uint8_t data[MONITOR_LOG_SIZE];
static struct ring complete;  /* messages that have ended */
static uint32_t draft_length; /* bytes behind complete.head: the message being put together */
static bool draft_lost;       /* it found no room: swallow the rest of it */
static bool is_answer;        /* the draft may have the room that is kept for answers */
static uint32_t draft_number; /* counts the drafts that have begun */
static uint32_t dropped;

void monitor_log_init(void)
{
    ring_init(&complete, data, MONITOR_LOG_SIZE);
    draft_length = 0;
    draft_lost = false;
    dropped = 0;
}

/* Events come as often as tenants make them; what the user has asked for finds room all the same.
 */
static uint32_t room(void)
{
    uint32_t kept = is_answer ? 0 : MONITOR_LOG_ANSWER_MAX;
    uint32_t space = ring_space(&complete);

    return space > kept ? space - kept : 0;
}

static void end_message(void)
{
    if (draft_lost) {
        dropped++;
    } else {
        complete.head += draft_length;
    }
    draft_length = 0;
    draft_lost = false;
    is_answer = false;
}

/*
 * At the end of a message, or where it finds no room: it is lost as a whole. Out of line, so that
 * what fits does not pay for its registers.
 */
static void __attribute__((noinline)) put_end(const char *text, const char *last)
{
    const char *begin = text;

    while (text != last && *text != '\0' && *text != '\n') {
        text++;
    }
    draft_lost |= text != begin;
    if (text == last || *text != '\n') {
        return;
    }
    draft_lost |= draft_length >= room();
    if (!draft_lost) {
        data[(complete.head + draft_length) & complete.mask] = '\n';
        draft_length++;
    }
    end_message();
}

void monitor_puts(const char *text)
{
    const char *last = text + MONITOR_LOG_STRING_MAX;
    uint32_t space = room();
    uint32_t left = draft_lost || draft_length > space ? 0 : space - draft_length;
    const char *full = left < MONITOR_LOG_STRING_MAX ? text + left : last;
    const char *begin = text;
    uint64_t at = complete.head + draft_length;

    /* What fits, in few instructions: who speaks is not interrupted. */
    while (text != full && *text != '\0' && *text != '\n') {
        data[at++ & (MONITOR_LOG_SIZE - 1)] = (uint8_t)*text++;
    }
    draft_length += (uint32_t)(text - begin);
    if (text != last && *text != '\0') {
        put_end(text, last);
    }
}

void monitor_put_u64(uint64_t value)
{
    char digits[21]; /* 2^64 has 20 */
    char *first = &digits[sizeof(digits) - 1];

    *first = '\0';
    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    monitor_puts(first);
}

void monitor_put_hex(uint64_t value)
{
    char digits[17];
    char *first = &digits[sizeof(digits) - 1];

    *first = '\0';
    do {
        *--first = "0123456789abcdef"[value & 0xf];
        value >>= 4;
    } while (value != 0);
    monitor_puts("0x");
    monitor_puts(first);
}

static void begin(bool answers)
{
    draft_number++;
    draft_length = 0;
    draft_lost = false;
    is_answer = answers;
}

void monitor_log_begin_answer(void)
{
    begin(true);
}

void monitor_log_begin(void)
{
    begin(false);
    monitor_puts("monitor: ");
}

static void __attribute__((noinline)) put_name(const struct tenant *tenant)
{
    monitor_puts(tenant->description->name);
    monitor_puts(": ");
}

bool monitor_log_begin_parts(struct monitor_log_parts *parts, const struct tenant *tenant)
{
    if (parts->draft != draft_number || parts->told == 0) {
        monitor_log_resume(parts, false);
    } else if (parts->told == 1) {
        monitor_puts("tenant ");
    } else if (parts->told < MONITOR_LOG_PARTS_BEGUN) {
        put_name(tenant);
    } else {
        return false;
    }
    monitor_log_note_part(parts);
    return true;
}

void monitor_log_note_part(struct monitor_log_parts *parts)
{
    parts->told++;
    parts->draft = draft_number;
}

void monitor_log_resume(struct monitor_log_parts *parts, bool answers)
{
    if (parts->draft != draft_number || parts->told == 0) {
        parts->told = 0;
        begin(answers);
        monitor_puts(answers ? "" : "monitor: ");
    }
}

uint32_t monitor_log_draft_length(void)
{
    return draft_length;
}

uint32_t monitor_log_used(void)
{
    return ring_used(&complete);
}

uint32_t monitor_log_dropped(void)
{
    return dropped;
}

int monitor_log_next(void)
{
    return ring_get(&complete); /* a draft lies behind head and stays where it is */
}

const struct ring *monitor_log_ring(void)
{
    return &complete;
}

void monitor_log_skip(const char *text)
{
    uint32_t used = ring_used(&complete);
    uint32_t length = 0;

    while (length < used && length < MONITOR_LOG_STRING_MAX && text[length] != '\0') {
        if (data[(complete.tail + length) & complete.mask] != (uint8_t)text[length]) {
            return;
        }
        length++;
    }
    if (text[length] == '\0') {
        ring_drop(&complete, length);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/monitor_log.h"

#include <stdbool.h>

/* The shared lock's. */
static uint8_t data[MONITOR_LOG_SIZE];
static struct ring complete;  /* messages that have ended */
static uint32_t draft_length; /* bytes behind complete.head: the message being put together */
static bool draft_lost;       /* it found no room: swallow the rest of it */
static uint32_t dropped;

void monitor_log_init(void)
{
    ring_init(&complete, data, MONITOR_LOG_SIZE);
    draft_length = 0;
    draft_lost = false;
    dropped = 0;
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
}

static void put(char character)
{
    if (draft_length >= ring_space(&complete)) {
        draft_lost = true;
    }
    if (!draft_lost) {
        data[(complete.head + draft_length) & complete.mask] = (uint8_t)character;
        draft_length++;
    }
    if (character == '\n') {
        end_message();
    }
}

void monitor_puts(const char *text)
{
    for (uint32_t i = 0; i < MONITOR_LOG_STRING_MAX && text[i] != '\0'; i++) {
        put(text[i]);
    }
}

void monitor_put_u64(uint64_t value)
{
    char digits[20]; /* 2^64 has 20 */
    uint32_t count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) {
        put(digits[--count]);
    }
}

void monitor_put_hex(uint64_t value)
{
    int shift = 60;

    while (shift > 0 && value >> shift == 0) {
        shift -= 4;
    }
    put('0');
    put('x');
    for (; shift >= 0; shift -= 4) {
        put("0123456789abcdef"[(value >> shift) & 0xf]);
    }
}

void monitor_log_begin(void)
{
    draft_length = 0;
    draft_lost = false;
    monitor_puts("monitor: ");
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

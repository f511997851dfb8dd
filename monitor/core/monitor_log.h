/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the monitor itself says, in lines, on its way to the console.
 *
 * A message is put together by any number of calls and ends with '\n'; it becomes visible to the
 * console as a whole at that moment. Until then it is a draft. Messages about events begin with
 * monitor_log_begin() and are complete before their caller returns; a report that is put together
 * over a longer time gives way to them and starts its line again. A message that finds no room is
 * dropped as a whole and counted. One log for the system; M-mode with interrupts off, shared lock
 * held from the beginning of a message to its end.
 */
#ifndef COTENANT_CORE_MONITOR_LOG_H
#define COTENANT_CORE_MONITOR_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/ring.h"

struct tenant;

/* Bytes of complete and unfinished messages. */
#define MONITOR_LOG_SIZE 4096
/* Of these, what is kept for an answer to the user: messages about events leave it free. */
#define MONITOR_LOG_ANSWER_MAX 256
/* A single string is cut off here, so that no call runs for long. */
#define MONITOR_LOG_STRING_MAX 512

/* Empties the log. Called once at boot, before any other function. */
void monitor_log_init(void);

/* Begins a message about an event with "monitor: "; another caller's draft is given up. */
void monitor_log_begin(void);

/* Begins a line, as it is, that the user has asked for; at most MONITOR_LOG_ANSWER_MAX bytes. */
void monitor_log_begin_answer(void);

/*
 * How far a message about a tenant is that is put together over several steps of the console
 * service, a part in each. All zero: it has not begun.
 */
struct monitor_log_parts {
    uint32_t told;
    uint32_t draft; /* its number: with another one, another message has taken its place */
};

/*
 * Puts the next part of "monitor: tenant NAME: ", which is the beginning of the message; from the
 * first one again if the draft is gone. False: all of it is there, and the next part is the
 * caller's, which then calls monitor_log_note_part().
 */
bool monitor_log_begin_parts(struct monitor_log_parts *parts, const struct tenant *tenant);
void monitor_log_note_part(struct monitor_log_parts *parts);

/*
 * Any message in parts: begins it, as an answer or not, if none of it is there. Then the caller
 * puts the part with the number parts->told, and calls monitor_log_note_part().
 */
void monitor_log_resume(struct monitor_log_parts *parts, bool answers);

/* monitor_log_parts.told when the first part of the caller is next. */
#define MONITOR_LOG_PARTS_BEGUN 3

/* Bytes of the draft: tells its writer whether it is still there. */
uint32_t monitor_log_draft_length(void);

/* Appends a zero-terminated string. A line feed ends the message: nothing follows it in the string.
 */
void monitor_puts(const char *text);

/* Appends a number in decimal digits. */
void monitor_put_u64(uint64_t value);

/* Appends a number as 0x and lower-case hexadecimal digits, without leading zeros. */
void monitor_put_hex(uint64_t value);

/* Bytes of complete messages that wait for the console. */
uint32_t monitor_log_used(void);

/* Messages dropped since the last monitor_log_init(). */
uint32_t monitor_log_dropped(void);

/* The console takes the oldest byte, 0..255; -1: none. */
int monitor_log_next(void);

/* Where the messages are, for looking back: all but the bytes of a draft are as they were put. */
const struct ring *monitor_log_ring(void);

/* Drops `text` if that is what waits first. */
void monitor_log_skip(const char *text);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/commands/telling.h"

#include <stddef.h>
#include <stdint.h>

#include "core/hooks.h"
#include "core/monitor_log.h"
#include "core/wanted.h"
#include "core/work.h"

#define MOST_PARTS 7

/*
 * Messages that wait to be told, oldest first. Another one is lost: to tell of it now would keep
 * the hart. Events, which tenants with a control port can cause, leave room for answers.
 */
#define MOST_MESSAGES 16
#define MOST_EVENTS 8

typedef const char *message[MOST_PARTS + 1];

static message messages[MOST_MESSAGES];
static bool answers[MOST_MESSAGES]; /* of each of them: it is one */
static message lost;
static uint32_t first;
static uint32_t count;
static struct monitor_log_parts parts; /* of the first one */

/* The next part; false: there is none. */
static bool tell_part(void)
{
    if (count == 0) {
        return false;
    }
    monitor_log_resume(&parts, answers[first]);
    monitor_puts(messages[first][parts.told]);
    monitor_log_note_part(&parts);
    if (messages[first][parts.told] == NULL) {
        parts.told = 0;
        first = (first + 1) % MOST_MESSAGES;
        count--;
    }
    return true;
}

static const char **__attribute__((noinline)) add(bool is_answer, uint32_t most)
{
    uint32_t place = (first + count) % MOST_MESSAGES;

    if (count >= most) {
        return lost;
    }
    count++;
    answers[place] = is_answer;
    return messages[place];
}

const char **tell_event(void)
{
    return add(false, MOST_EVENTS);
}

const char **tell_answer(void)
{
    return add(true, MOST_MESSAGES);
}

/* Nothing else says a word while a line is put together, or it begins again. */
static unsigned tell_step(uint64_t now)
{
    (void)now;
    if (!tell_part()) {
        return WORK_NOTHING;
    }
    while (!step_is_over() && tell_part()) {
    }
    return WORK_DONE | (parts.told != 0 ? WORK_SAME : 0);
}

static void wait(bool *waits)
{
    *waits |= count != 0;
}

HOOK(power_off_waits, wait);
WORK(telling, NULL, tell_step);

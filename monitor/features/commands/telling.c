/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/commands/telling.h"

#include <stddef.h>
#include <stdint.h>

#include "core/hooks.h"
#include "core/monitor_log.h"
#include "core/wanted.h"
#include "core/work.h"

#define MOST_PARTS 7

static const char *messages[2][MOST_PARTS + 1]; /* the event, the answer; no first part: none */
static uint32_t told;                           /* parts of the one that is being told */
static uint32_t draft_length; /* with another one, another message has taken its place */

/* The next part; false: there is none. */
static bool tell_part(void)
{
    bool answers = messages[0][0] == NULL;
    const char **parts = messages[answers];

    if (parts[0] == NULL) {
        return false;
    }
    if (told == 0 || monitor_log_draft_length() != draft_length) {
        told = 0;
        if (answers) {
            monitor_log_begin_answer();
        } else {
            monitor_log_begin();
        }
    }
    monitor_puts(parts[told]);
    draft_length = monitor_log_draft_length();
    told++;
    if (parts[told] == NULL) {
        parts[0] = NULL;
        told = 0;
    }
    return true;
}

static const char **message(bool answers)
{
    while (messages[answers][0] != NULL) {
        (void)tell_part();
    }
    work_post();
    return messages[answers];
}

const char **tell_event(void)
{
    /* Else the answer, of which a part is told, would go on behind it. */
    while (told != 0) {
        (void)tell_part();
    }
    return message(false);
}

const char **tell_answer(void)
{
    return message(true);
}

/* Nothing else says a word while a line is put together, or it begins again. */
static unsigned tell_step(uint64_t now)
{
    (void)now;
    if (!tell_part()) {
        return WORK_NOTHING;
    }
    while (!hart_is_wanted() && tell_part()) {
    }
    return WORK_DONE | (told != 0 ? WORK_SAME : 0);
}

static void wait(bool *waits)
{
    *waits |= messages[0][0] != NULL || messages[1][0] != NULL;
}

HOOK(power_off_waits, wait);
WORK(telling, NULL, tell_step);

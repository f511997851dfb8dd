/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer to the command "stats" and to the list key: a line with the monitor's time, a line for
 * each tenant, a last line. docs/abi.md has its form. Written a field at a time.
 */
#ifndef COTENANT_CORE_STATISTICS_H
#define COTENANT_CORE_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"

struct statistics_report {
    bool wanted;
    uint32_t line;         /* next one to write: 0, the tenants from 1 on, the last */
    uint32_t field;        /* next one of that line */
    uint32_t draft_length; /* of the unfinished line in the monitor's log */
};

/* Begins a report; one that is in progress begins anew. */
void statistics_begin(struct statistics_report *report);

static inline bool statistics_in_progress(const struct statistics_report *report)
{
    return report->wanted;
}

/* A line of it has begun: no message should come in between, or it begins again. */
static inline bool statistics_in_line(const struct statistics_report *report)
{
    return report->wanted && report->field != 0;
}

/* Writes the next field to the monitor's log if there is room. `now` in ticks. */
void statistics_step(struct statistics_report *report, uint64_t now);

/* Ticks that a vhart has had its hart until `now`. */
uint64_t statistics_run_time(const struct vhart *vhart, uint64_t now);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often one end of a channel can make the other end take an event: a few times at once, then
 * once in each interval. An end that is refused keeps the event until then, and tells the state of
 * then.
 */
#ifndef COTENANT_FEATURES_VIRTIO_EVENT_LIMIT_H
#define COTENANT_FEATURES_VIRTIO_EVENT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Events at once, after as many intervals without one: what an honest end does when it starts. */
#define EVENT_LIMIT_BURST 8

struct event_limit {
    uint64_t interval; /* ticks; 0: no limit */
    uint64_t until;    /* when all that was told would have been told at one in each interval */
};

/* When the next event may be told; what is not later than now may be told now. */
static inline uint64_t event_limit_moment(const struct event_limit *limit)
{
    uint64_t credit = (EVENT_LIMIT_BURST - 1) * limit->interval;

    return limit->until > credit ? limit->until - credit : 0;
}

/* An event is told now. */
static inline void event_limit_count(struct event_limit *limit, uint64_t now)
{
    limit->until = (limit->until > now ? limit->until : now) + limit->interval;
}

#endif

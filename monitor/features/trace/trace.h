/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recording what happens on each hart, for people to look at: abi/trace.h has the format.
 *
 * Off unless the bundle gives the rings a place. Then nothing of it is on the paths of traps and
 * world switches: recording them is the work of another trap entry (entry.S), chosen at boot. What
 * else is recorded comes by way of core/recorder.h.
 *
 * Context: called by the hart in question, interrupts off; after boot only a hart itself writes its
 * ring.
 */
#ifndef COTENANT_FEATURES_TRACE_TRACE_H
#define COTENANT_FEATURES_TRACE_TRACE_H

#include <stdint.h>

#include "abi/trace.h"
#include "core/hart.h"

struct vhart;

/* What recording needs to know of a hart. */
struct trace {
    struct trace_header *ring; /* NULL: nothing is recorded */
    const struct vhart *vhart; /* which has the hart as far as the ring tells, or NULL */
    uint32_t index;            /* the vhart's index in the bundle, or COTENANT_TRACE_NO_VHART */
};

/* By the hart's index. */
extern struct trace traces[COTENANT_MAX_HARTS];

/*
 * Begins an empty ring of `size` bytes (COTENANT_TRACE_RING_LEAST or more) at `memory` for the
 * hart, whose clock is set up. `measured`: cycles and ticks as in struct trace_header.
 */
void trace_init(const struct hart *hart, void *memory, uint64_t size, uint32_t measured_cycles,
                uint32_t measured_ticks);

/*
 * Adds a record, over the oldest one when the ring is full. `vhart`: its index in the bundle. The
 * hart has a ring. Inline: it is most of what a recorded trap costs.
 */
static inline struct trace_record *trace_add(const struct hart *hart, uint32_t kind, uint32_t vhart,
                                             uint64_t argument)
{
    struct trace_header *ring = traces[hart->index].ring;
    uint32_t place = ring->next;
    struct trace_record *record = (struct trace_record *)(ring + 1) + place;
    uint64_t time = hart_now(hart) & ((1ul << COTENANT_TRACE_TIME_BITS) - 1);

    record->stamp = time | (uint64_t)(kind | vhart << 8) << COTENANT_TRACE_TIME_BITS;
    record->argument = argument;
    ring->next = place + 1 < ring->capacity ? place + 1 : 0;
    ring->written++;
    return record;
}

/* `vhart` (NULL: none) has the hart from now on; recorded if the ring does not tell so yet. */
void trace_running(const struct hart *hart, const struct vhart *vhart);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/stamps.h"

#include "rt/csr.h"

/* Instructions from one stamp to the next are fewer than this, and a pause takes longer. */
#define PAUSE 40

void stamps_note(struct stamps *stamps, uint64_t value)
{
    if (stamps->count < STAMPS_NOTED) {
        stamps->values[stamps->count++] = value;
    }
}

uint64_t stamps_median(struct stamps *stamps)
{
    for (unsigned i = 1; i < stamps->count; i++) {
        uint64_t value = stamps->values[i];
        unsigned place = i;

        for (; place > 0 && stamps->values[place - 1] > value; place--) {
            stamps->values[place] = stamps->values[place - 1];
        }
        stamps->values[place] = value;
    }
    return stamps->values[stamps->count / 2];
}

void stamps_compute(volatile uint64_t *place, struct stamps *pauses)
{
    uint64_t before = csr_read(cycle);

    while (pauses->count < STAMPS_NOTED) {
        uint64_t now = csr_read(cycle);

        *place = now;
        if (now - before > PAUSE) {
            stamps_note(pauses, now - before);
            now = csr_read(cycle);
        }
        before = now;
    }
}

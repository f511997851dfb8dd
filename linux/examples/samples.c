/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples [COUNT]: reads the samples that an RTOS takes at 1 kHz out of memory that both share
 * (examples/shared-memory.toml), looking there ten times a second: so a hundred of them cost one
 * wake-up, and the RTOS none at all. Prints a line a second, and with COUNT ends after so many
 * samples: status 0 if none was missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../channel/memory_channel.h"
#include "window_sample.h"

#define CHANNEL "samples"
#define LOOK_NS 100000000

struct summary {
    unsigned long count;
    unsigned long missing;
    int32_t least;
    int32_t most;
    uint32_t latest_ns;
    uint32_t next; /* number of the sample that comes next, if there has been one */
};

static void add(struct summary *summary, const struct window_sample *sample)
{
    if (summary->count > 0 && sample->number != summary->next)
        summary->missing++;
    if (summary->count == 0 || sample->value < summary->least)
        summary->least = sample->value;
    if (summary->count == 0 || sample->value > summary->most)
        summary->most = sample->value;
    if (sample->lateness_ns > summary->latest_ns)
        summary->latest_ns = sample->lateness_ns;
    summary->next = sample->number + 1;
    summary->count++;
}

static void print(const struct summary *summary)
{
    printf("samples: count=%lu from=%.3f to=%.3f latest=%.1fus missing=%lu\n", summary->count,
           summary->least / 1e3, summary->most / 1e3, summary->latest_ns / 1e3, summary->missing);
    fflush(stdout);
}

/* Takes what has come; false: the sampler is gone or breaks the rules, and comes anew. */
static bool take(struct memory_channel *channel, struct summary *summary)
{
    struct window_sample sample;
    int64_t length;

    while ((length = memory_channel_receive(channel, &sample, sizeof(sample))) >= 0) {
        if (length == sizeof(sample))
            add(summary, &sample);
    }
    if (length == RING_BROKEN)
        memory_channel_reopen(channel);
    return length == RING_NOT_NOW;
}

int main(int argc, char **argv)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    unsigned long wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    struct memory_channel channel;
    struct summary summary = {0};

    if (memory_channel_open(&channel, CHANNEL) != 0) {
        perror("samples: no memory channel \"" CHANNEL "\"");
        return 2;
    }
    for (unsigned long looks = 1; wanted == 0 || summary.count < wanted; looks++) {
        nanosleep(&look, NULL);
        if (!take(&channel, &summary) && !memory_channel_is_met(&channel))
            summary = (struct summary){0};
        if (looks % 10 == 0)
            print(&summary);
    }
    print(&summary);
    memory_channel_close(&channel);
    return summary.missing == 0 ? 0 : 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/network.h"
#include "generated.h"
#include "rt/format.h"

#define ENTRIES 24
#define PERIOD_US 250000
#define PATIENCE_US 100000
#define SILENCE_US 10000000
/* Of the ring and of the page in the making. */
#define LOCK 0

struct entry {
    uint64_t time_us;
    uint64_t samples;
    uint64_t missed;
    uint64_t latest_ns;
    uint64_t error;
};

static struct entry entries[ENTRIES];
static uint64_t count;
static BUFFER char text[PIECE_SIZE];

static size_t write_page(void)
{
    uint64_t first = count < ENTRIES ? 0 : count - ENTRIES;
    size_t length =
        format_text(text, sizeof(text), "  seconds    samples missed latest_us      error\n");

    for (uint64_t number = first; number < count; number++) {
        const struct entry *entry = &entries[number % ENTRIES];

        length +=
            format_text(text + length, sizeof(text) - length, "%5lu.%03lu %10lu %6lu %9lu %10lu\n",
                        entry->time_us / 1000000, entry->time_us / 1000 % 1000, entry->samples,
                        entry->missed, entry->latest_ns / 1000, entry->error);
    }
    return length;
}

/* The page goes to `address`, PIECE_SIZE bytes that the caller lends: its length, 0 if it cannot.
 */
uint64_t export_page(uint64_t address)
{
    size_t length;

    if (locks_take(LOCK, PATIENCE_US).value != 1) {
        return 0;
    }
    length = write_page();
    length = copy_to_lent(address, text, length) ? length : 0;
    locks_give(LOCK);
    return length;
}

void thread_sample(uint64_t unused)
{
    (void)unused;
    for (;;) {
        struct entry entry = {
            .time_us = timer_now_us().value,
            .samples = control_samples().value,
            .missed = control_missed().value,
            .latest_ns = control_most_ns().value,
            .error = control_error().value,
        };

        if (locks_take(LOCK, PATIENCE_US).value == 1) {
            entries[count % ENTRIES] = entry;
            count++;
            locks_give(LOCK);
        }
        watchdog_beat(SILENCE_US);
        timer_sleep(PERIOD_US);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "sequence_statistics.h"

#include <stdio.h>

#define STATUS_DRIVER_OK 0x04
#define STATUS_NEEDS_RESET 0x40
/* Of the monitor's code, counted from virtio_write: two bytes an entry. */
#define CODE_ENTRIES (1u << 19)

const char *const kind_names[KINDS] = {"console", "cable", "switch", "input", "socket"};

static const char *const operation_names[OPERATIONS] = {
    "start",         "reset",        "status",        "features",    "queue size",
    "address",       "ready",        "disable, move", "add chains",  "corrupt",
    "bump index",    "notify",       "flood",         "suppress",    "configuration",
    "register",      "acknowledge",  "port message",  "ring",        "honest start",
    "honest send",   "honest serve", "honest ring",   "honest port", "honest suppress",
    "honest config", "monitor stop", "monitor press",
};
static const char *const state_names[STATES] = {"reset",     "negotiating", "idle",  "sending",
                                                "receiving", "disabled",    "broken"};

static uint64_t counts[KINDS][OPERATIONS][STATES];
static uint64_t total;
static uint64_t episodes;
static uint64_t calls;
static uint64_t messages;
static uint64_t blocks;
/* Without and with an interrupt waiting. */
static uint64_t most_blocks[2][KINDS];
static unsigned most_retries;
static uint64_t now_seed;
static uint64_t now_episode;
static uint64_t now_operation;
static enum operation now;
static uint8_t reached[CODE_ENTRIES];

void statistics_block(uintptr_t address)
{
    blocks++;
    reached[(address - (uintptr_t)virtio_write) / 2 % CODE_ENTRIES] = 1;
}

/* Called before the undefined-behaviour sanitizer ends the program. */
void __ubsan_on_report(void);

void __ubsan_on_report(void)
{
    statistics_place();
}

void statistics_episode(uint64_t seed, uint64_t episode)
{
    now_seed = seed;
    now_episode = episode;
    now_operation = 0;
    episodes++;
}

static enum state state_of(const struct driver *driver)
{
    const struct virtio_device *device = driver->device;
    bool ready = true;

    if (device->status == 0) {
        return STATE_RESET;
    }
    if ((device->status & STATUS_NEEDS_RESET) != 0) {
        return STATE_BROKEN;
    }
    if ((device->status & STATUS_DRIVER_OK) == 0) {
        return STATE_NEGOTIATING;
    }
    for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
        if (device->queues[queue].open) {
            return is_receive_queue(driver, queue) ? STATE_RECEIVING : STATE_SENDING;
        }
        ready = ready && virtqueue_is_ready(&device->queues[queue]);
    }
    return ready ? STATE_IDLE : STATE_DISABLED;
}

void statistics_operation(enum operation operation, const struct driver *driver)
{
    now = operation;
    now_operation++;
    total++;
    counts[driver->kind][operation][state_of(driver)]++;
}

void statistics_begin_call(void)
{
    calls++;
    blocks = 0;
}

uint64_t statistics_end_call(enum kind kind, bool wanted)
{
    if (blocks > most_blocks[wanted][kind]) {
        most_blocks[wanted][kind] = blocks;
    }
    return blocks;
}

void statistics_message(void)
{
    messages++;
}

void statistics_retries(unsigned retries)
{
    if (retries > most_retries) {
        most_retries = retries;
    }
}

uint64_t statistics_operations(void)
{
    return total;
}

void statistics_place(void)
{
    printf("seed %llu, episode %llu, operation %llu (%s)\n", (unsigned long long)now_seed,
           (unsigned long long)now_episode, (unsigned long long)now_operation,
           operation_names[now]);
    fflush(stdout);
}

static void print_operations(void)
{
    printf("%-16s", "operation");
    for (unsigned state = 0; state < STATES; state++) {
        printf(" %12s", state_names[state]);
    }
    printf("\n");
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        printf("%-16s", operation_names[operation]);
        for (unsigned state = 0; state < STATES; state++) {
            uint64_t sum = 0;

            for (unsigned kind = 0; kind < KINDS; kind++) {
                sum += counts[kind][operation][state];
            }
            printf(" %12llu", (unsigned long long)sum);
        }
        printf("\n");
    }
}

void statistics_print(void)
{
    unsigned code = 0;

    print_operations();
    for (unsigned kind = 0; kind < KINDS; kind++) {
        unsigned cells = 0;

        for (unsigned i = 0; i < HOSTILE_OPERATIONS * STATES; i++) {
            cells += counts[kind][i / STATES][i % STATES] != 0;
        }
        printf("%-8s %u of %u pairs of hostile operation and state, at most %llu basic blocks in a "
               "call, %llu while an interrupt waits\n",
               kind_names[kind], cells, HOSTILE_OPERATIONS * STATES,
               (unsigned long long)most_blocks[0][kind], (unsigned long long)most_blocks[1][kind]);
    }
    for (unsigned i = 0; i < CODE_ENTRIES; i++) {
        code += reached[i];
    }
    printf("%llu operations in %llu episodes: %llu calls of the monitor, %llu messages between "
           "honest ends received, %u basic blocks reached, an honest store made again at most %u "
           "times\n",
           (unsigned long long)total, (unsigned long long)episodes, (unsigned long long)calls,
           (unsigned long long)messages, code, most_retries);
}

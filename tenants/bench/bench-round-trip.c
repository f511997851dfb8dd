/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a tenant to another one of a higher priority and back, both on one hart: two world switches.
 * The caller sends a message through the memory channel "window", whose doorbell wakes the
 * answerer; that answers, and waits again. When the caller goes on, the answer is there. Exact
 * under QEMU's -icount, where the cycle CSR counts instructions.
 *
 * Arguments: rounds=N   is the caller: makes N round trips, prints what one took, in instructions
 *
 *     bench: median N
 *     bench: least N
 *     bench: most N
 *     bench: end
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/memory_channel.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/sbi.h"

#define PRIORITY 1
/* Round trips of more instructions than this count as this many. */
#define LONGEST 16384

const char payload_name[] = "bench-round-trip";

static struct memory_channel window;
static uint32_t counts[LONGEST + 1];

static void answer_interrupt(void)
{
    uint32_t source = plic_claim();

    if (source != 0) {
        channels_interrupt();
        plic_complete(source);
    }
}

/* Waits for the doorbell, if nothing has come since it was looked at last. */
static void wait_for_bell(void)
{
    if (memory_channel_begin_wait(&window, RING_RECEIVING)) {
        wait_for_interrupt();
        answer_interrupt();
    }
    memory_channel_end_wait(&window);
}

static void meet(void)
{
    while (!memory_channel_is_met(&window)) {
        wait_for_bell();
    }
}

static void serve(void)
{
    uint64_t message;

    for (;;) {
        int64_t length = memory_channel_receive(&window, &message, sizeof(message));

        if (length < 0) {
            wait_for_bell();
        } else {
            message++;
            (void)memory_channel_send(&window, &message, sizeof(message));
        }
    }
}

/* Instructions of a round trip, the reading of the counter included. */
static uint64_t call(uint64_t number)
{
    uint64_t start = csr_read(cycle);
    uint64_t answer = 0;
    uint64_t end;

    (void)memory_channel_send(&window, &number, sizeof(number));
    end = csr_read(cycle);
    check(memory_channel_receive(&window, &answer, sizeof(answer)) == sizeof(answer) &&
              answer == number + 1,
          "the other tenant did not answer at once");
    return end - start;
}

static uint64_t median_of(uint64_t rounds)
{
    uint64_t value = 0;

    for (uint64_t seen = counts[0]; seen <= rounds / 2; seen += counts[value]) {
        value++;
    }
    return value;
}

static void measure(uint64_t rounds)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t taken = call(i);

        counts[taken < LONGEST ? taken : LONGEST]++;
        least = taken < least ? taken : least;
        most = taken > most ? taken : most;
    }
    print("bench: median %lu\nbench: least %lu\nbench: most %lu\nbench: end\n", median_of(rounds),
          least, most);
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 0);

    interrupts_disable();
    check(channels_start(), "no virtual console, or one without names");
    check(memory_channel_open(&window, "window"), "there is no channel \"window\"");
    plic_set_threshold(0);
    plic_enable(channels_source(), PRIORITY);
    csr_write(sie, INTERRUPT_EXTERNAL);
    meet();
    if (rounds == 0) {
        serve();
    }
    /* The first one finds the other tenant where it looks for us, and not yet where it waits. */
    (void)memory_channel_send(&window, &rounds, sizeof(rounds));
    while (memory_channel_receive(&window, &(uint64_t){0}, sizeof(uint64_t)) < 0) {
        wait_for_bell();
    }
    measure(rounds);
    sbi_shutdown(false);
}

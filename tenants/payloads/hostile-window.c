/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shares a window with somebody and keeps to no rule: tries what is beside the window and to run
 * code in it, rings doorbells that are none and in ways that are none, writes anything anywhere
 * into the window between messages as they should be, and rings as fast as it can. After its
 * verdict it goes on and never stops.
 *
 * Arguments: rounds=N  (default 1000)   seed=N
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/memory_channel.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/trap.h"

#define STORES 16
#define PAGE 4096
#define PATIENCE_MS 5

const char payload_name[] = "hostile-window";

static struct memory_channel memory;
static struct random random;

static void expect_refused(uint64_t address)
{
    struct trap_fault fault;
    uint64_t value;

    check(!trap_try_read64(address, &value, &fault), "read 0x%lx, beside the window", address);
    check(!trap_try_write64(address, 0, &fault), "wrote to 0x%lx, beside the window", address);
}

static void try_what_is_not_shared(void)
{
    uint64_t base = (uint64_t)memory.window;
    struct trap_fault fault;
    uint64_t value;

    expect_refused(base - sizeof(value));
    expect_refused(base + memory.size);
    check(trap_try_write64(base + memory.size - sizeof(value), 0, &fault), "no whole window");
    check(!trap_try_execute(base, &fault), "ran code in the window");
}

/* Every place in the page of doorbells, by loads and stores of every size. */
static void ring_oddly(void)
{
    uint64_t page = (uint64_t)memory.doorbell & ~(uint64_t)(PAGE - 1);
    struct trap_fault fault;
    uint64_t value;
    uint8_t byte;

    for (uint64_t offset = 0; offset < PAGE; offset += sizeof(value)) {
        (void)trap_try_write64(page + offset, random_next(&random), &fault);
        (void)trap_try_write8(page + offset + 3, 1, &fault);
        check(!trap_try_read8(page + offset, &byte, &fault) || byte == 0, "a doorbell that reads");
        check(!trap_try_read64(page + offset, &value, &fault) || value == 0, "one that reads");
    }
    (void)trap_try_write64(page + 1, 1, &fault);
    (void)trap_try_write64(page + PAGE - 4, 1, &fault);
}

static void store(uint64_t place, uint64_t value)
{
    *(volatile uint64_t *)((uint64_t)memory.window + place / sizeof(value) * sizeof(value)) = value;
}

/* Its own counters and lengths, as an end that has gone wrong would; or anything. */
static void scribble(void)
{
    uint64_t own = (uint64_t)memory.ring.own - (uint64_t)memory.window;
    bool any = random_below(&random, 4) == 0;

    for (unsigned i = 0; i < STORES; i++) {
        uint64_t value = random_next(&random) >> random_below(&random, 64);

        if (any) {
            store(random_below(&random, i % 2 == 0 ? RING_HEADER_SIZE : memory.size), value);
        } else if (i == 0) {
            store(own + RING_LINE * (1 + random_below(&random, 2)), value);
        } else {
            store(RING_HEADER_SIZE + random_below(&random, memory.size - RING_HEADER_SIZE), value);
        }
    }
}

static void flood(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        *memory.doorbell = i;
    }
}

/* As it should be, so that the two meet and there is something to spoil. */
static void behave(void)
{
    check(memory_channel_open(&memory, "shared"), "the channel is gone");
    for (unsigned i = 0; i < PATIENCE_MS && !memory_channel_is_met(&memory); i++) {
        clock_sleep(1000);
    }
    for (unsigned i = 0; i < STORES; i++) {
        (void)memory_channel_send(&memory, &random, sizeof(random));
    }
}

static void misbehave(void)
{
    if (random_below(&random, 16) == 0) {
        behave();
    }
    scribble();
    flood(1 + (unsigned)random_below(&random, 50));
    (void)memory_channel_is_met(&memory);
    (void)memory_channel_send(&memory, &random, sizeof(random));
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 1000);

    random.state = platform_number("seed", 42);
    check(channels_start(), "no virtual console, or one without names");
    check(memory_channel_open(&memory, "shared"), "there is no channel \"shared\"");
    try_what_is_not_shared();
    ring_oddly();
    while (rounds-- > 0) {
        misbehave();
    }
    print("PASS %s\n", payload_name);
    for (;;) {
        misbehave();
    }
}

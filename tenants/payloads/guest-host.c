/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host of guests, which are payloads: lends each of them a part of its own memory, copies its
 * initrd, the ELF file of a payload, into it, and then gives them turns, one after the other, until
 * all have ended. A clock interrupts it a thousand times a second all the while, and no such
 * interrupt may be lost. Guests get the host's own arguments and device tree, but for the memory.
 *
 *   guests=N     how many there are, 1 if not given
 *   memory=SIZE  bytes of each, 2 MiB if not given
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/guest.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define TICK_US 1000
#define DEFAULT_MEMORY 0x200000

const char payload_name[] = "guest-host";

static struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
static uint64_t tick;
static uint64_t due;
static volatile uint64_t ticks;

static void on_timer(void)
{
    ticks++;
    due += tick;
    sbi_set_timer(due);
}

static void begin_ticks(void)
{
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    tick = clock_ticks(TICK_US);
    due = clock_now() + tick;
    sbi_set_timer(due);
    csr_write(sie, INTERRUPT_TIMER);
    interrupts_enable();
}

void main(void)
{
    uint64_t count = platform_number("guests", 1);
    uint64_t size = platform_number("memory", DEFAULT_MEMORY);
    uint64_t first = (platform.memory_base + 2 * COTENANT_HOSTED_GRAIN - 1) &
                     ~(uint64_t)(COTENANT_HOSTED_GRAIN - 1);
    uint64_t turns = 0;
    uint64_t left = count;

    check(guest_find(), "there are no guests");
    for (uint64_t i = 0; i < count; i++) {
        guest_make(&guests[i], (uint32_t)i, first + i * size, size);
    }
    begin_ticks();
    while (left != 0) {
        for (uint64_t i = 0; i < count; i++) {
            if (guests[i].ended) {
                continue;
            }
            turns++;
            if (!guest_take_turn(&guests[i])) {
                left--;
            }
        }
    }
    interrupts_disable();
    for (uint64_t i = 0; i < count; i++) {
        print("guest %lu: exits=%lu %s\n", i, guests[i].exits,
              guests[i].crashed ? "crashed" : "shut down");
    }
    print("guest-host: turns=%lu ticks=%lu late=%s\n", turns, ticks,
          clock_now() - due > tick ? "yes" : "no");
    check_pass();
}

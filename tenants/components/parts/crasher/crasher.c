/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define WAYS 6
#define HEAP ((volatile uint64_t *)(COMPONENT_BASE + COMPONENT_ID * COMPONENT_SIZE + HEAP_OFFSET))
#define HEAP_WORDS ((STACKS_OFFSET - HEAP_OFFSET) / 8)

static uint64_t turns;

/* Not known to the compiler. */
static volatile uint64_t *volatile nowhere = (volatile uint64_t *)8;
static volatile bool is_deep;

static uint64_t dive(volatile uint64_t *above)
{
    volatile uint64_t here[64];

    here[0] = *above + 1;
    return is_deep ? 0 : dive(here) + here[0];
}

/* Never returns: the caller gets an error. The data is fresh each time. */
uint64_t export_turn(uint64_t way)
{
    volatile uint64_t start = 0;

    if (turns++ != 0) {
        return 1;
    }
    log_note(way, turns);
    HEAP[0] = way; /* a page fault that is none of the ways to go wrong */
    switch (way % WAYS) {
    case 0:
        *nowhere = 1;
        break;
    case 1:
        __asm__ volatile("unimp");
        break;
    case 2:
        ((void (*)(void))0x80000000)();
        break;
    case 3:
        return dive(&start);
    case 4: /* more heap than anybody gets */
        for (uint64_t i = 0; i < HEAP_WORDS; i++) {
            HEAP[i] = i;
        }
        break;
    default:
        for (;;) {
            start++;
        }
    }
    return 2;
}

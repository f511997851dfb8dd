/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/host.h"

#include <string.h>

#include "hostile/acts.h"
#include "rt/check.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define PAGE_SIZE 4096
#define GRAIN COTENANT_HOSTED_GRAIN
#define SLOTS 2
#define VHARTS HOST_VHARTS
#define RANGES COTENANT_HOSTED_MAX_RANGES
#define MOST_TICKS 2000

/* Guests that ask for something all the time, and one that is nothing. */
static const uint32_t programs[][2] = {
    {0x0000006f, 0},          /* j . */
    {0x10500073, 0xffdff06f}, /* wfi; j .-4 */
    {0x00003503, 0xffdff06f}, /* ld a0, 0(zero); j .-4 */
    {0x00a03023, 0xffdff06f}, /* sd a0, 0(zero); j .-4 */
    {0x00000073, 0xffdff06f}, /* ecall; j .-4 */
    {0, 0},                   /* illegal, and so is its handler */
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static uint8_t pages[SLOTS][VHARTS][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static volatile uint32_t tokens[SLOTS];

uint64_t host_memory(void)
{
    return (platform.memory_base + 2 * GRAIN - 1) & ~(uint64_t)(GRAIN - 1);
}

uint32_t host_token(uint32_t slot)
{
    return tokens[slot];
}

void host_program(void *place, uint32_t number)
{
    memcpy(place, programs[number], sizeof(programs[0]));
}

volatile struct hosted_run *host_run(uint64_t slot, uint64_t vhart)
{
    return (volatile struct hosted_run *)pages[slot % SLOTS][vhart % VHARTS];
}

uint32_t host_ask(uint32_t operation, uint32_t slot, uint32_t number, uint64_t address,
                  uint64_t size)
{
    struct hosted_request request = {
        .operation = operation,
        .slot = slot,
        .vhart = number,
        .range = number,
        .address = address,
        .size = size,
        .run = (uintptr_t)host_run(slot, number),
    };
    uint32_t result = guest_request(&request);

    if (operation == COTENANT_HOSTED_CREATE && result == COTENANT_HOSTED_OK) {
        tokens[slot] = request.token;
    }
    return result;
}

/* Garbage, or the reason that a fault is answered with. */
static void scribble(struct random *random, volatile struct hosted_run *run)
{
    volatile uint64_t *words = (volatile uint64_t *)run;

    words[random_below(random, sizeof(*run) / sizeof(*words))] = random_next(random);
    run->reason = random_below(random, 4) == 0 ? COTENANT_HOSTED_ANSWER_FAULT : 0;
}

static uint64_t some_address(struct random *random)
{
    return host_memory() + random_below(random, 8) * GRAIN + (random_below(random, 8) == 0 ? 8 : 0);
}

uint64_t host_anything(struct random *random)
{
    uint32_t slot = (uint32_t)random_below(random, SLOTS);
    uint32_t vhart = (uint32_t)random_below(random, VHARTS);
    volatile struct hosted_run *run = host_run(slot, vhart);
    uint64_t address = some_address(random);
    uint32_t kind = (uint32_t)random_below(random, 16);
    uint32_t number;
    uint32_t result;

    if (kind <= COTENANT_HOSTED_START) {
        kind = kind == COTENANT_HOSTED_DESTROY && random_below(random, 4) != 0 ? 0 : kind;
        number = kind == COTENANT_HOSTED_CREATE ? VHARTS
                 : kind == COTENANT_HOSTED_LEND ? (uint32_t)random_below(random, RANGES + 1)
                                                : vhart;
        result = host_ask(kind, slot, number, address, random_below(random, 4) * GRAIN);
        check(result <= COTENANT_HOSTED_LIMIT, "request %u: result %u", kind, result);
    } else if (kind == COTENANT_HOSTED_START + 1) {
        host_program((void *)(address & ~7ul), (uint32_t)random_below(random, PROGRAMS));
    } else if (kind == COTENANT_HOSTED_START + 2) {
        guest_set_line(random_next(random));
    } else {
        scribble(random, run);
        sbi_set_timer(clock_now() + random_below(random, MOST_TICKS));
        guest_turn(slot, vhart, tokens[slot]);
        return run->reason;
    }
    return COTENANT_HOSTED_EXIT_NONE;
}

bool act_guests_begin(void)
{
    return guest_find();
}

enum outcome act_guests(struct random *random)
{
    uint64_t reason;

    csr_write(sie, INTERRUPT_TIMER);
    reason = host_anything(random);
    csr_write(sie, 0);
    return reason == COTENANT_HOSTED_EXIT_NONE ? OUTCOME_REFUSED : OUTCOME_DONE;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that does everything wrong, on all of its harts at once: requests of every kind with
 * values of every kind, turns that are none, guests that only trap, run pages that change while
 * they are used, memory taken back and slots freed under guests that run on other harts. What is
 * not its own it must not get, each request has one of the answers that there are, and at the end
 * an honest guest, its initrd, runs.
 *
 *   touch=0x...,...  2 MiB-aligned addresses that are not its memory
 *   rounds=N         of the storm, on each hart
 *   seed=N
 */
#include <stddef.h>
#include <string.h>

#include "rt/arguments.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/guest.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/trap.h"

#define PAGE_SIZE 4096
#define GRAIN COTENANT_HOSTED_GRAIN
#define SLOTS 2
#define VHARTS 2
#define MOST_TICKS 2000

const char payload_name[] = "hostile-host";

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
static uint64_t first; /* of the memory that is lent */
static uint64_t exits[HARTS_MAX][COTENANT_HOSTED_EXIT_STOPPED + 1];

static volatile struct hosted_run *run_of(uint64_t slot, uint64_t vhart)
{
    return (volatile struct hosted_run *)pages[slot % SLOTS][vhart % VHARTS];
}

static uint32_t ask(uint32_t operation, uint32_t slot, uint32_t vhart, uint64_t address,
                    uint64_t size)
{
    struct hosted_request request = {
        .operation = operation,
        .slot = slot,
        .vhart = vhart,
        .address = address,
        .size = size,
        .run = (uintptr_t)run_of(slot, vhart),
    };
    uint32_t result = guest_request(&request);

    if (operation == COTENANT_HOSTED_CREATE && result == COTENANT_HOSTED_OK) {
        tokens[slot] = request.token;
    }
    return result;
}

static void expect(uint32_t result, uint32_t expected, const char *what)
{
    check(result == expected, "%s: result %u, expected %u", what, result, expected);
}

static void lend(uint64_t address, uint64_t size, uint32_t expected, const char *what)
{
    expect(ask(COTENANT_HOSTED_LEND, 0, 0, address, size), expected, what);
}

/* Ranges that it may not lend, and those that it may, once. */
static void try_ranges(void)
{
    const char *list = platform_argument("touch");
    uint64_t end = platform.memory_base + platform.memory_size;
    uint64_t address;

    lend(first, 0, COTENANT_HOSTED_INVALID, "nothing");
    lend(first + PAGE_SIZE, GRAIN, COTENANT_HOSTED_INVALID, "misaligned");
    lend(first, GRAIN + PAGE_SIZE, COTENANT_HOSTED_INVALID, "an odd size");
    lend(first, -(uint64_t)GRAIN, COTENANT_HOSTED_RANGE, "all around");
    lend(first, -first, COTENANT_HOSTED_RANGE, "to the end of the addresses");
    lend(-(uint64_t)GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "over the end of the addresses");
    lend(end - GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "over the end of its memory");
    lend(platform.memory_base - GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "before its memory");
    while (list != NULL && argument_number(&list, &address)) {
        lend(address, GRAIN, COTENANT_HOSTED_RANGE, "another's");
        list += *list == ',';
    }
    lend(first, 2 * GRAIN, COTENANT_HOSTED_OK, "its own");
    lend(first, 2 * GRAIN, COTENANT_HOSTED_RANGE, "twice");
    lend(first + GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "a part twice");
    expect(ask(COTENANT_HOSTED_CREATE, 1, 1, 0, 0), COTENANT_HOSTED_OK, "another guest");
    expect(ask(COTENANT_HOSTED_LEND, 1, 0, first + GRAIN, GRAIN), COTENANT_HOSTED_RANGE,
           "another guest's");
    expect(ask(COTENANT_HOSTED_TAKE_BACK, 1, 0, first, 0), COTENANT_HOSTED_RANGE,
           "back from another guest");
    expect(ask(COTENANT_HOSTED_TAKE_BACK, 0, 0, first + GRAIN, 0), COTENANT_HOSTED_RANGE,
           "half of it back");
    lend(first + 4 * GRAIN, guest_register(COTENANT_HOSTED_MEMORY) - GRAIN, COTENANT_HOSTED_LIMIT,
         "more than is allowed");
    expect(ask(COTENANT_HOSTED_TAKE_BACK, 0, 0, first, 0), COTENANT_HOSTED_OK, "it back");
    expect(ask(COTENANT_HOSTED_TAKE_BACK, 0, 0, first, 0), COTENANT_HOSTED_RANGE, "back twice");
    lend(first, 3 * GRAIN, COTENANT_HOSTED_OK, "two entries");
    lend(first + 4 * GRAIN, 3 * GRAIN, COTENANT_HOSTED_OK, "two more");
    lend(first + 8 * GRAIN, GRAIN, COTENANT_HOSTED_LIMIT, "more entries than there are");
}

/* What is no request is none, and what is no register faults. */
static void try_accesses(void)
{
    struct fdt_node node;
    struct trap_fault fault;
    uint64_t registers;
    uint64_t size;
    uint64_t value;

    check(fdt_find_compatible(&platform.fdt, "cotenant,hosted", &node) &&
              fdt_reg(&platform.fdt, &node, &registers, &size),
          "no registers");
    for (value = 0; value < 64; value++) {
        uint64_t addresses[] = {0,
                                1ul << value,
                                -(1ul << value),
                                registers + value,
                                platform.memory_base - 64,
                                first + value};

        for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
            check(trap_try_write64(registers + COTENANT_HOSTED_REQUEST, addresses[i], &fault),
                  "a request at 0x%lx faults", addresses[i]);
            check(trap_try_write64(registers + COTENANT_HOSTED_LINE, addresses[i], &fault),
                  "a line 0x%lx faults", addresses[i]);
        }
    }
    check(!trap_try_write64(registers + PAGE_SIZE, 1, &fault) &&
              !trap_try_write8(registers + PAGE_SIZE, 1, &fault) &&
              !trap_try_read64(registers + PAGE_SIZE, &value, &fault),
          "a turn page takes more than a word");
    check(!trap_try_write64(registers + size, 1, &fault), "there is more than the registers");
}

/* Turns that are none end at once and say nothing. */
static void try_turns(void)
{
    run_of(0, 0)->reason = COTENANT_HOSTED_EXIT_NONE;
    for (uint64_t bit = 0; bit < 32; bit++) {
        if (1u << bit != tokens[0]) {
            guest_turn(0, 0, 1u << bit);
        }
    }
    guest_turn(0, 0, 0);
    guest_turn(0, 0, tokens[0]); /* not started */
    guest_turn(1, 0, tokens[0]); /* another guest's */
    check(run_of(0, 0)->reason == COTENANT_HOSTED_EXIT_NONE, "a turn that was none");
    expect(ask(COTENANT_HOSTED_START, 0, 0, first - 4, 0), COTENANT_HOSTED_INVALID,
           "a start outside of the guest's memory");
    expect(ask(COTENANT_HOSTED_START, 0, VHARTS, first, 0), COTENANT_HOSTED_INVALID,
           "a start of no vhart");
    expect(ask(COTENANT_HOSTED_START, 0, 0, first + 1, 0), COTENANT_HOSTED_INVALID,
           "a start at an odd address");
    memcpy((void *)first, programs[0], sizeof(programs[0]));
    expect(ask(COTENANT_HOSTED_START, 0, 0, first, 0), COTENANT_HOSTED_OK, "a start");
    csr_write(sie, INTERRUPT_TIMER);
    for (unsigned i = 0; i < 100; i++) {
        sbi_set_timer(clock_now() + i);
        guest_turn(0, 0, tokens[0]); /* it never ends, but for the timer */
        check(run_of(0, 0)->reason == COTENANT_HOSTED_EXIT_INTERRUPTED, "reason %u",
              run_of(0, 0)->reason);
    }
    expect(ask(COTENANT_HOSTED_TAKE_BACK, 0, 0, first, 0), COTENANT_HOSTED_OK, "its code back");
    sbi_set_timer(UINT64_MAX);
    guest_turn(0, 0, tokens[0]);
    check(run_of(0, 0)->reason == COTENANT_HOSTED_EXIT_CRASH, "without code: reason %u",
          run_of(0, 0)->reason);
}

static void free_slot(uint32_t slot)
{
    struct hosted_request request = {.operation = COTENANT_HOSTED_STATUS, .slot = slot};

    (void)ask(COTENANT_HOSTED_DESTROY, slot, 0, 0, 0);
    do {
        check(guest_request(&request) == COTENANT_HOSTED_OK, "no status");
    } while (request.state == COTENANT_HOSTED_ALIVE || request.state == COTENANT_HOSTED_ENDING);
    check(request.size == 0, "memory is still lent");
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
    return first + random_below(random, 8) * GRAIN + (random_below(random, 8) == 0 ? 8 : 0);
}

static void do_anything(struct random *random, uint64_t hart)
{
    uint32_t slot = (uint32_t)random_below(random, SLOTS);
    uint32_t vhart = (uint32_t)random_below(random, VHARTS);
    volatile struct hosted_run *run = run_of(slot, vhart);
    uint64_t address = some_address(random);
    uint32_t kind = (uint32_t)random_below(random, 16);
    uint32_t result;

    if (kind <= COTENANT_HOSTED_STATUS) {
        kind = kind == COTENANT_HOSTED_DESTROY && random_below(random, 4) != 0 ? 0 : kind;
        result = ask(kind, slot, kind == COTENANT_HOSTED_CREATE ? VHARTS : vhart, address,
                     random_below(random, 4) * GRAIN);
        check(result <= COTENANT_HOSTED_LIMIT, "request %u: result %u", kind, result);
    } else if (kind == COTENANT_HOSTED_STATUS + 1) {
        memcpy((void *)(address & ~7ul), programs[random_below(random, PROGRAMS)],
               sizeof(programs[0]));
    } else if (kind == COTENANT_HOSTED_STATUS + 2) {
        guest_set_line(random_next(random));
    } else {
        scribble(random, run);
        sbi_set_timer(clock_now() + random_below(random, MOST_TICKS));
        guest_turn(slot, vhart, tokens[slot]);
        exits[hart][run->reason <= COTENANT_HOSTED_EXIT_STOPPED ? run->reason : 0]++;
    }
}

static void storm(uint64_t hart)
{
    struct random random = random_from(platform_number("seed", 1) + hart);
    uint64_t rounds = platform_number("rounds", 20000);

    csr_write(sie, INTERRUPT_TIMER);
    for (uint64_t i = 0; i < rounds; i++) {
        do_anything(&random, hart);
    }
    csr_write(sie, 0);
}

static void report(void)
{
    for (unsigned reason = 0; reason <= COTENANT_HOSTED_EXIT_STOPPED; reason++) {
        uint64_t sum = 0;

        for (unsigned hart = 0; hart < HARTS_MAX; hart++) {
            sum += exits[hart][reason];
        }
        print("hostile-host: reason %u: %lu\n", reason, sum);
    }
}

void main(void)
{
    static struct guest honest;

    first = (platform.memory_base + 2 * GRAIN - 1) & ~(uint64_t)(GRAIN - 1);
    check(guest_find(), "there are no guests");
    expect(ask(0, 0, 0, 0, 0), COTENANT_HOSTED_INVALID, "no operation");
    expect(ask(COTENANT_HOSTED_STATUS + 1, 0, 0, 0, 0), COTENANT_HOSTED_INVALID, "an unknown one");
    expect(ask(COTENANT_HOSTED_CREATE, UINT32_MAX, 1, 0, 0), COTENANT_HOSTED_INVALID, "no slot");
    expect(ask(COTENANT_HOSTED_CREATE, 0, 0, 0, 0), COTENANT_HOSTED_INVALID, "no vharts");
    expect(ask(COTENANT_HOSTED_CREATE, 0, 9, 0, 0), COTENANT_HOSTED_INVALID, "too many vharts");
    expect(ask(COTENANT_HOSTED_LEND, 0, 0, first, GRAIN), COTENANT_HOSTED_STATE, "to no guest");
    expect(ask(COTENANT_HOSTED_CREATE, 0, VHARTS, 0, 0), COTENANT_HOSTED_OK, "a guest");
    expect(ask(COTENANT_HOSTED_CREATE, 0, 1, 0, 0), COTENANT_HOSTED_STATE, "a second one there");
    try_ranges();
    try_accesses();
    try_turns();
    free_slot(0);
    free_slot(1);
    print("hostile-host: storm\n");
    harts_run(storm);
    report();
    free_slot(0);
    free_slot(1);
    guest_make(&honest, 0, first, GRAIN);
    while (guest_take_turn(&honest)) {
    }
    check(!honest.crashed, "the honest guest has crashed");
    check_pass();
}

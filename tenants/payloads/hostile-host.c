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

#include "hostile/host.h"
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
#define VHARTS HOST_VHARTS

const char payload_name[] = "hostile-host";

static uint64_t first; /* of the memory that is lent */
static uint64_t exits[HARTS_MAX][COTENANT_HOSTED_EXIT_STOPPED + 1];

static void expect(uint32_t result, uint32_t expected, const char *what)
{
    check(result == expected, "%s: result %u, expected %u", what, result, expected);
}

/* Size 0: it takes the range back. */
static void lend(uint32_t range, uint64_t address, uint64_t size, uint32_t expected,
                 const char *what)
{
    expect(host_ask(COTENANT_HOSTED_LEND, 0, range, address, size), expected, what);
}

/* Ranges that it may not lend, and those that it may, once. */
static void try_ranges(void)
{
    const char *list = platform_argument("touch");
    uint64_t end = platform.memory_base + platform.memory_size;
    uint64_t address;

    lend(COTENANT_HOSTED_MAX_RANGES, first, GRAIN, COTENANT_HOSTED_INVALID, "as no range");
    lend(0, first + PAGE_SIZE, GRAIN, COTENANT_HOSTED_INVALID, "misaligned");
    lend(0, first, GRAIN + PAGE_SIZE, COTENANT_HOSTED_INVALID, "an odd size");
    lend(0, first, -(uint64_t)GRAIN, COTENANT_HOSTED_RANGE, "all around");
    lend(0, first, -first, COTENANT_HOSTED_RANGE, "to the end of the addresses");
    lend(0, -(uint64_t)GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "over the end of the addresses");
    lend(0, end - GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "over the end of its memory");
    lend(0, platform.memory_base - GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "before its memory");
    while (list != NULL && argument_number(&list, &address)) {
        lend(0, address, GRAIN, COTENANT_HOSTED_RANGE, "another's");
        list += *list == ',';
    }
    lend(0, first, 2 * GRAIN, COTENANT_HOSTED_OK, "its own");
    lend(1, first, 2 * GRAIN, COTENANT_HOSTED_RANGE, "twice");
    lend(1, first + GRAIN, 2 * GRAIN, COTENANT_HOSTED_RANGE, "a part twice");
    lend(0, first + 4 * GRAIN, GRAIN, COTENANT_HOSTED_RANGE, "as a range that is lent");
    expect(host_ask(COTENANT_HOSTED_CREATE, 1, 1, 0, 0), COTENANT_HOSTED_OK, "another guest");
    expect(host_ask(COTENANT_HOSTED_LEND, 1, 0, first + GRAIN, GRAIN), COTENANT_HOSTED_RANGE,
           "another guest's");
    expect(host_ask(COTENANT_HOSTED_LEND, 1, 0, first, 0), COTENANT_HOSTED_OK,
           "nothing back from another guest");
    lend(1, first, GRAIN, COTENANT_HOSTED_RANGE, "what another guest has not taken back");
    lend(1, first + 4 * GRAIN, guest_register(COTENANT_HOSTED_MEMORY) - GRAIN,
         COTENANT_HOSTED_LIMIT, "more than is allowed");
    lend(0, 0, 0, COTENANT_HOSTED_OK, "it back");
    lend(0, first, 3 * GRAIN, COTENANT_HOSTED_OK, "two entries");
    lend(1, first + 4 * GRAIN, 3 * GRAIN, COTENANT_HOSTED_OK, "two more");
    lend(2, first + 8 * GRAIN, GRAIN, COTENANT_HOSTED_LIMIT, "more entries than there are");
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
    host_run(0, 0)->reason = COTENANT_HOSTED_EXIT_NONE;
    for (uint64_t bit = 0; bit < 32; bit++) {
        if (1u << bit != host_token(0)) {
            guest_turn(0, 0, 1u << bit);
        }
    }
    guest_turn(0, 0, 0);
    guest_turn(0, 0, host_token(0)); /* not started */
    guest_turn(1, 0, host_token(0)); /* another guest's */
    check(host_run(0, 0)->reason == COTENANT_HOSTED_EXIT_NONE, "a turn that was none");
    expect(host_ask(COTENANT_HOSTED_START, 0, 0, first - 4, 0), COTENANT_HOSTED_INVALID,
           "a start outside of the guest's memory");
    expect(host_ask(COTENANT_HOSTED_START, 0, VHARTS, first, 0), COTENANT_HOSTED_INVALID,
           "a start of no vhart");
    expect(host_ask(COTENANT_HOSTED_START, 0, 0, first + 1, 0), COTENANT_HOSTED_INVALID,
           "a start at an odd address");
    host_program((void *)first, HOST_SPINS);
    expect(host_ask(COTENANT_HOSTED_START, 0, 0, first, 0), COTENANT_HOSTED_OK, "a start");
    csr_write(sie, INTERRUPT_TIMER);
    for (unsigned i = 0; i < 100; i++) {
        sbi_set_timer(clock_now() + i);
        guest_turn(0, 0, host_token(0)); /* it never ends, but for the timer */
        check(host_run(0, 0)->reason == COTENANT_HOSTED_EXIT_INTERRUPTED, "reason %u",
              host_run(0, 0)->reason);
    }
    lend(0, 0, 0, COTENANT_HOSTED_OK, "its code back");
    sbi_set_timer(UINT64_MAX);
    guest_turn(0, 0, host_token(0));
    check(host_run(0, 0)->reason == COTENANT_HOSTED_EXIT_CRASH, "without code: reason %u",
          host_run(0, 0)->reason);
}

static void free_slot(uint32_t slot)
{
    uint32_t result;

    do {
        result = host_ask(COTENANT_HOSTED_DESTROY, slot, 0, 0, 0);
    } while (result == COTENANT_HOSTED_BUSY);
    expect(result, COTENANT_HOSTED_STATE, "to be free");
}

static void storm(uint64_t hart)
{
    struct random random = random_from(platform_number("seed", 1) + hart);
    uint64_t rounds = platform_number("rounds", 20000);

    csr_write(sie, INTERRUPT_TIMER);
    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t reason = host_anything(&random);

        exits[hart][reason <= COTENANT_HOSTED_EXIT_STOPPED ? reason : 0]++;
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

    first = host_memory();
    check(guest_find(), "there are no guests");
    expect(host_ask(0, 0, 0, 0, 0), COTENANT_HOSTED_INVALID, "no operation");
    expect(host_ask(COTENANT_HOSTED_START + 1, 0, 0, 0, 0), COTENANT_HOSTED_INVALID,
           "an unknown one");
    expect(host_ask(COTENANT_HOSTED_CREATE, UINT32_MAX, 1, 0, 0), COTENANT_HOSTED_INVALID,
           "no slot");
    expect(host_ask(COTENANT_HOSTED_CREATE, 0, 0, 0, 0), COTENANT_HOSTED_INVALID, "no vharts");
    expect(host_ask(COTENANT_HOSTED_CREATE, 0, 9, 0, 0), COTENANT_HOSTED_INVALID,
           "too many vharts");
    expect(host_ask(COTENANT_HOSTED_LEND, 0, 0, first, GRAIN), COTENANT_HOSTED_STATE,
           "to no guest");
    expect(host_ask(COTENANT_HOSTED_CREATE, 0, VHARTS, 0, 0), COTENANT_HOSTED_OK, "a guest");
    expect(host_ask(COTENANT_HOSTED_CREATE, 0, 1, 0, 0), COTENANT_HOSTED_STATE,
           "a second one there");
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

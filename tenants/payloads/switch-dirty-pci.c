/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a member of a group finds the cards on a PCI bus in the agreed state
 * (docs/switching.md) whatever the one before left there, and that a card does not write to the
 * memory of one who has left: when it leaves, QEMU's card for teaching ("edu", docs/specs/edu of
 * QEMU) interrupts, has all its registers set, and is about to copy something into its memory. All
 * members of the group are this payload. Arguments: rounds=N (3)
 */
#include "rt/check.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/suspend.h"

/* PCI Local Bus 3.0, sections 6.1 and 6.8. */
#define REGISTER_COMMAND 0x04
#define REGISTER_ADDRESS 0x10
#define ADDRESSES 6
#define REGISTER_CAPABILITIES 0x34
#define REGISTER_LINE 0x3c
#define COMMAND_ALL 0x7 /* ports, memory, bus mastering */
#define CAPABILITY_MSI 5
#define MSI_ENABLE 0x10000

#define FUNCTIONS 256
#define FUNCTION_SIZE 4096
#define NOBODY 0xffffffff
#define LINES 4

#define EDU 0x11e81234
#define EDU_RAISE 0x60
#define EDU_ACKNOWLEDGE 0x64
#define EDU_SOURCE 0x80
#define EDU_DESTINATION 0x88
#define EDU_COUNT 0x90
#define EDU_COMMAND 0x98
#define EDU_START 1
#define EDU_TO_MEMORY 2
#define EDU_BUFFER 0x40000
#define EDU_TAKES_US 100000 /* from the command to the copy */

#define PATTERN 0x5aa5c33c
#define MOST_US 1000000

const char payload_name[] = "switch-dirty-pci";

static uint64_t bus;
static uint32_t window; /* where cards can be put */
static uint32_t lines[LINES];
static volatile uint32_t target; /* what the card writes to */

static volatile uint32_t *configuration(unsigned function, uint32_t offset)
{
    return (volatile uint32_t *)(bus + (uint64_t)function * FUNCTION_SIZE + offset);
}

static volatile uint32_t *edu(uint32_t offset)
{
    return (volatile uint32_t *)((uint64_t)window + offset);
}

static bool is_there(unsigned function)
{
    return *configuration(function, 0) != NOBODY;
}

static bool a_line_is_pending(void)
{
    for (unsigned i = 0; i < LINES; i++) {
        if ((*plic_register(plic_pending_offset(lines[i])) >> lines[i] % 32 & 1) != 0) {
            return true;
        }
    }
    return false;
}

/* Where its capability for messages is. */
static volatile uint32_t *messages_of(unsigned function)
{
    uint32_t place = *configuration(function, REGISTER_CAPABILITIES) & 0xfc;

    while (place != 0 && (*configuration(function, place) & 0xff) != CAPABILITY_MSI) {
        place = *configuration(function, place) >> 8 & 0xfc;
    }
    check(place != 0, "function %u cannot send messages", function);
    return configuration(function, place);
}

static unsigned find_edu(void)
{
    unsigned function = 0;

    while (function < FUNCTIONS && *configuration(function, 0) != EDU) {
        function++;
    }
    check(function < FUNCTIONS, "there is no card for teaching");
    return function;
}

static void check_bus(uint64_t round, unsigned card)
{
    for (unsigned function = 0; function < FUNCTIONS; function++) {
        if (!is_there(function)) {
            continue;
        }
        check((*configuration(function, REGISTER_COMMAND) & COMMAND_ALL) == 0,
              "round %lu: function %u is on", round, function);
        for (unsigned i = 0; i < ADDRESSES; i++) {
            check(*configuration(function, REGISTER_ADDRESS + 4 * i) >> 4 == 0,
                  "round %lu: function %u has address %u", round, function, i);
        }
        check((*configuration(function, REGISTER_LINE) & 0xff) == 0,
              "round %lu: function %u has a line", round, function);
    }
    check((*messages_of(card) & MSI_ENABLE) == 0, "round %lu: the card sends messages", round);
    check(!a_line_is_pending(), "round %lu: a card interrupts", round);
}

static void start_copy(uint32_t command)
{
    uint64_t memory = (uintptr_t)&target;
    bool to_memory = (command & EDU_TO_MEMORY) != 0;

    *(volatile uint64_t *)edu(EDU_SOURCE) = to_memory ? EDU_BUFFER : memory;
    *(volatile uint64_t *)edu(EDU_DESTINATION) = to_memory ? memory : EDU_BUFFER;
    *(volatile uint64_t *)edu(EDU_COUNT) = sizeof(target);
    *(volatile uint64_t *)edu(EDU_COMMAND) = command;
}

static void copy(uint32_t command)
{
    uint64_t end = clock_now() + clock_ticks(MOST_US);

    start_copy(command);
    while ((*(volatile uint64_t *)edu(EDU_COMMAND) & EDU_START) != 0) {
        check(clock_now() < end, "the card does not copy");
    }
}

static void make_dirty(unsigned card)
{
    uint64_t end = clock_now() + clock_ticks(MOST_US);

    *configuration(card, REGISTER_ADDRESS) = window;
    *configuration(card, REGISTER_LINE) = 0x20;
    *configuration(card, REGISTER_COMMAND) = COMMAND_ALL;
    *edu(EDU_ACKNOWLEDGE) = UINT32_MAX; /* what the one before raised is still in the card */
    target = PATTERN;
    copy(EDU_START);
    target = 0;
    copy(EDU_START | EDU_TO_MEMORY);
    check(target == PATTERN, "the card copied 0x%x", target);
    *edu(EDU_RAISE) = 1;
    while (!a_line_is_pending()) {
        check(clock_now() < end, "the card does not interrupt");
    }
    *messages_of(card) |= MSI_ENABLE;
    target = 0;
    start_copy(EDU_START | EDU_TO_MEMORY);
}

static void find_bus(void)
{
    struct fdt_node node;
    uint64_t size;

    check(fdt_find_compatible(&platform.fdt, "pci-host-ecam-generic", &node) &&
              fdt_reg(&platform.fdt, &node, &bus, &size) && size == FUNCTIONS * FUNCTION_SIZE,
          "there is no PCI bus");
    check(fdt_cell(&platform.fdt, &node, "ranges", 11, &window), "there is no window");
    for (unsigned i = 0; i < LINES; i++) {
        check(fdt_cell(&platform.fdt, &node, "interrupt-map", 6 * i + 5, &lines[i]),
              "line %u leads nowhere", i);
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 3);
    struct suspend_result result;
    unsigned card;

    interrupts_disable();
    find_bus();
    card = find_edu();
    check_bus(0, card);
    for (uint64_t round = 1; round <= rounds; round++) {
        clock_spin(2 * EDU_TAKES_US); /* what the one before began would be over */
        make_dirty(card);
        suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
        check(result.resumed == 1, "round %lu: error %ld", round, result.error);
        check(target == 0, "round %lu: the card wrote 0x%x while the tenant slept", round, target);
        check_bus(round, card);
    }
    check_pass();
}

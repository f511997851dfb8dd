/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/acts.h"
#include "rt/check.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/sv39.h"
#include "rt/trap.h"

#define VALUE 0x746f727475726521
#define WAYS 7

static void amo(void *address)
{
    __asm__ volatile("amoadd.d zero, %0, (%1)" : : "r"(VALUE), "r"(address) : "memory");
}

static void reserve(void *address)
{
    __asm__ volatile("lr.d zero, (%0)" : : "r"(address) : "memory");
}

/* Accesses in one of the ways; whether it went through. */
static bool reach(struct random *random, uint64_t at, uint64_t ways)
{
    struct trap_fault fault;
    uint64_t value;
    uint8_t byte;

    switch (random_below(random, ways)) {
    case 0:
        return trap_try_read64(at, &value, &fault);
    case 1:
        return trap_try_write64(at, VALUE, &fault);
    case 2:
        return trap_try_read8(at + random_below(random, 8), &byte, &fault);
    case 3:
        return trap_try_write8(at + random_below(random, 8), 0x55, &fault);
    case 4:
        return trap_try(amo, (void *)at, &fault);
    case 5:
        return trap_try(reserve, (void *)at, &fault);
    default:
        return trap_try_execute(at, &fault);
    }
}

enum outcome act_foreign(struct random *random)
{
    uint64_t address = choose_foreign(random);

    if (address == 0) {
        return OUTCOME_REFUSED;
    }
    check(!reach(random, address, WAYS), "escape: an access to 0x%lx of others went through",
          address);
    return OUTCOME_FAULT;
}

/* The registers of a device of its own, or nothing. */
static uint64_t own_registers(struct random *random)
{
    return random_below(random, 2) == 0 ? platform.uart_base
                                        : platform.plic_base + 4 * random_below(random, 1024);
}

enum outcome act_pages(struct random *random)
{
    enum sv39_window kind = (enum sv39_window)random_below(random, SV39_TABLE_LEVEL0 + 1);
    uint64_t address = choose_foreign(random);
    struct trap_fault fault;
    uint64_t at;
    uint8_t byte;
    bool done;

    if (address == 0) {
        return OUTCOME_REFUSED;
    }
    sv39_enable();
    if (random_below(random, 4) == 0) {
        at = sv39_open_window(SV39_LEAF_4K, own_registers(random));
        done = trap_try_read8(at, &byte, &fault);
        /* The monitor may know the page as long as its entry is there (device_pages.h). */
        sv39_close_window();
        if (random_below(random, 2) == 0) {
            check(!trap_try_read8(at, &byte, &fault), "a page that is gone can be read");
        }
        sv39_disable();
        return done ? OUTCOME_DONE : OUTCOME_FAULT;
    }
    at = sv39_open_window(kind, address);
    done = reach(random, at, WAYS);
    sv39_disable();
    check(!done, "escape: a page of kind %u to 0x%lx of others", kind, address);
    return OUTCOME_FAULT;
}

/* Whatever the first hart has pointed the window at: an access to another's has to fault. */
enum outcome act_peek(struct random *random)
{
    struct trap_fault fault;
    uint8_t byte;
    bool done;

    if (platform.uart_base == 0) {
        return OUTCOME_REFUSED;
    }
    sv39_enable();
    done = trap_try_read8(SV39_WINDOW + random_below(random, 8), &byte, &fault);
    sv39_disable();
    return done ? OUTCOME_DONE : OUTCOME_FAULT;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the interrupt controller shows a tenant its own sources only: it writes priorities,
 * enables, thresholds and completions of all others and of all contexts, reads everything back, and
 * claims. Nothing but its own may read as anything but zero, and no interrupt may arrive.
 *
 * Arguments: own=N,N   further sources of this tenant, besides its UART's
 *            rounds=N  random accesses over the whole range (default 50000)    seed=N
 */
#include "rt/arguments.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/plic.h"
#include "rt/random.h"
#include "rt/trap.h"

#define SOURCE_WORDS 32
#define SOURCES 1024
#define CONTEXTS 64
#define PRIORITY_MAX 7

const char payload_name[] = "hostile-plic";

static uint32_t own[SOURCE_WORDS];
static volatile uint64_t interrupts;
static uint64_t faults;

static bool is_own(uint32_t source)
{
    return (own[source / 32] >> source % 32 & 1) != 0;
}

static void on_external(void)
{
    uint32_t claimed = plic_claim();

    interrupts++;
    check(claimed == 0 || is_own(claimed), "source %u arrived", claimed);
    if (claimed != 0) {
        plic_complete(claimed);
    } else {
        /* Nobody to blame: keep it from coming for ever. */
        csr_clear(sie, INTERRUPT_EXTERNAL);
    }
}

static void read_register(void *argument)
{
    uint64_t *offset = argument;

    *offset = *plic_register(*offset);
}

static void write_register(void *argument)
{
    const uint64_t *access = argument;

    *plic_register(access[0]) = (uint32_t)access[1];
}

/* An aligned 32-bit access; a fault reads as zero, which is as good an answer. */
static uint32_t read32(uint64_t offset)
{
    struct trap_fault fault;

    if (!trap_try(read_register, &offset, &fault)) {
        faults++;
        return 0;
    }
    return (uint32_t)offset;
}

static void write32(uint64_t offset, uint32_t value)
{
    uint64_t access[2] = {offset, value};
    struct trap_fault fault;

    faults += !trap_try(write_register, access, &fault);
}

static void read_own_sources(void)
{
    const char *list = platform_argument("own");
    uint64_t source = platform.uart_source;

    do {
        if (source < SOURCES) {
            own[source / 32] |= 1u << source % 32;
        }
        if (list != NULL) {
            list += *list == ',';
        }
    } while (list != NULL && argument_number(&list, &source));
}

static void test_priorities(void)
{
    for (uint32_t source = 0; source < SOURCES; source++) {
        if (is_own(source)) {
            continue;
        }
        write32(plic_priority_offset(source), PRIORITY_MAX);
        check(read32(plic_priority_offset(source)) == 0, "priority of source %u can be set",
              source);
    }
}

static void test_pending(void)
{
    for (uint32_t source = 0; source < SOURCES; source += 32) {
        uint32_t seen;

        write32(plic_pending_offset(source), UINT32_MAX);
        seen = read32(plic_pending_offset(source));
        check((seen & ~own[source / 32]) == 0, "pending word %u shows 0x%x", source / 32, seen);
    }
}

static void test_contexts(void)
{
    for (uint32_t context = 0; context < CONTEXTS; context++) {
        bool is_own_context = context == platform.plic_context;

        for (uint32_t source = 0; source < SOURCES; source += 32) {
            uint64_t offset = plic_enable_offset(context, source);
            uint32_t allowed = is_own_context ? own[source / 32] : 0;
            uint32_t seen;

            write32(offset, UINT32_MAX);
            seen = read32(offset);
            check((seen & ~allowed) == 0, "enable word %u of context %u shows 0x%x", source / 32,
                  context, seen);
            write32(offset, 0);
        }
        if (!is_own_context) {
            uint32_t claimed;

            write32(plic_threshold_offset(context), PRIORITY_MAX);
            check(read32(plic_threshold_offset(context)) == 0, "threshold of context %u can be set",
                  context);
            claimed = read32(plic_claim_offset(context));
            check(claimed == 0, "context %u lets source %u be claimed", context, claimed);
        }
    }
}

/* Claims and completes what is not there and not its own, in its own context. */
static void test_claims(void)
{
    for (uint32_t source = 0; source < SOURCES; source++) {
        uint32_t claimed = read32(plic_claim_offset(platform.plic_context));

        check(claimed == 0 || is_own(claimed), "source %u could be claimed", claimed);
        write32(plic_claim_offset(platform.plic_context), source);
    }
    write32(plic_claim_offset(platform.plic_context), UINT32_MAX);
}

/* Everything else in the range: any answer but a hang; widths that the PLIC does not know too. */
static void test_random(struct random *random, uint64_t rounds)
{
    struct trap_fault fault;
    uint64_t value;
    uint8_t byte;

    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t offset = random_below(random, platform.plic_size / 8) * 8;

        switch (random_below(random, 4)) {
        case 0:
            write32(offset + 4 * random_below(random, 2), (uint32_t)random_next(random));
            break;
        case 1:
            read32(offset + 4 * random_below(random, 2));
            break;
        case 2:
            faults += !trap_try_read64(platform.plic_base + offset, &value, &fault);
            faults += !trap_try_write64(platform.plic_base + offset, random_next(random), &fault);
            break;
        default:
            faults += !trap_try_read8(platform.plic_base + offset + 3, &byte, &fault);
            faults += !trap_try_write8(platform.plic_base + offset + 3, 0xff, &fault);
            break;
        }
    }
}

void main(void)
{
    struct random random = random_from(platform_number("seed", 1));

    check(platform.plic_base != 0, "the device tree has no PLIC");
    read_own_sources();
    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    plic_set_threshold(0);
    csr_write(sie, INTERRUPT_EXTERNAL);
    interrupts_enable();

    test_priorities();
    test_pending();
    test_contexts();
    test_claims();
    test_random(&random, platform_number("rounds", 50000));
    /* The storm may have enabled own sources and so on; what is not its own is still out of reach.
     */
    test_priorities();
    test_contexts();
    test_claims();
    clock_spin(20000);
    print("hostile-plic: faults=%lu interrupts=%lu\n", faults, interrupts);
    check_pass();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what SBI 3.0 says of steal time (section 16). Prints "steal: N permille": what it lost of
 * half a second in which it was never idle.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define MEASURED_US 500000

const char payload_name[] = "sbi-sta";

struct steal_time {
    uint32_t sequence;
    uint32_t flags;
    uint64_t steal;
    uint8_t preempted;
    uint8_t pad[47];
};

static volatile struct steal_time shared[2] __attribute__((aligned(64)));

static void expect(const char *what, uint64_t low, uint64_t high, uint64_t flags, int64_t error)
{
    struct sbi_result result = sbi_call(SBI_EXT_STA, SBI_STA_SET_SHMEM, low, high, flags);

    check(result.error == error && result.value == 0, "%s: error %ld, expected %ld", what,
          result.error, error);
}

static void test_refusals(void)
{
    uint64_t end = platform.memory_base + platform.memory_size;
    uint64_t good = (uintptr_t)shared;

    check(sbi_probe(SBI_EXT_STA), "extension STA is missing");
    check(sbi_call(SBI_EXT_STA, 1, good, 0, 0).error == SBI_ERR_NOT_SUPPORTED, "function 1 exists");
    expect("flags", good, 0, 1, SBI_ERR_INVALID_PARAM);
    expect("flags with all ones", UINT64_MAX, UINT64_MAX, 1, SBI_ERR_INVALID_PARAM);
    expect("alignment of 32", good + 32, 0, 0, SBI_ERR_INVALID_PARAM);
    expect("lower half all ones", UINT64_MAX, 0, 0, SBI_ERR_INVALID_PARAM);
    expect("upper half", good, 1, 0, SBI_ERR_INVALID_ADDRESS);
    expect("upper half all ones", good, UINT64_MAX, 0, SBI_ERR_INVALID_ADDRESS);
    expect("address 0", 0, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect("before its memory", platform.memory_base - 64, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect("behind its memory", end, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect("a device", platform.uart_base, 0, 0, SBI_ERR_INVALID_ADDRESS);
}

static void fill(volatile struct steal_time *area, uint8_t byte)
{
    volatile uint8_t *bytes = (volatile uint8_t *)area;

    for (unsigned i = 0; i < sizeof(*area); i++) {
        bytes[i] = byte;
    }
}

/* Reads `steal` as the specification asks. */
static uint64_t stolen(volatile struct steal_time *area)
{
    uint32_t sequence;
    uint64_t steal;

    do {
        sequence = area->sequence;
        __asm__ volatile("fence r, r" : : : "memory");
        steal = area->steal;
        __asm__ volatile("fence r, r" : : : "memory");
    } while ((sequence & 1) != 0 || sequence != area->sequence);
    check(area->flags == 0, "flags are %u", area->flags);
    check(area->preempted == 0, "preempted while it runs");
    for (unsigned i = 0; i < sizeof(area->pad); i++) {
        check(area->pad[i] == 0, "padding byte %u is %u", i, area->pad[i]);
    }
    return steal;
}

static void test_account(void)
{
    uint64_t start;
    uint64_t steal;
    uint64_t elapsed;

    fill(&shared[0], 0xa5);
    fill(&shared[1], 0xa5);
    expect("set", (uintptr_t)&shared[0], 0, 0, SBI_SUCCESS);
    check(stolen(&shared[0]) < 10000000, "the account does not begin at 0");
    start = clock_now();
    steal = stolen(&shared[0]);
    clock_spin(MEASURED_US);
    steal = stolen(&shared[0]) - steal;
    elapsed = (clock_now() - start) * (1000000000 / platform.timebase_hz);
    check(steal != 0 && steal < elapsed, "%lu of %lu ns were stolen", steal, elapsed);
    check(shared[0].sequence != 0, "sequence does not count");
    print("steal: %lu permille\n", steal * 1000 / elapsed);
    check(shared[1].steal == 0xa5a5a5a5a5a5a5a5, "more than 64 bytes were written");
}

/* Idle time is not stolen: whoever has the hart meanwhile takes it from nobody. */
static void test_idle(void)
{
    uint64_t steal = stolen(&shared[0]);

    clock_sleep(MEASURED_US);
    steal = stolen(&shared[0]) - steal;
    check(steal < MEASURED_US * 1000ul / 50, "%lu ns stolen from an idle hart", steal);
}

static void test_end(void)
{
    expect("another area", (uintptr_t)&shared[1], 0, 0, SBI_SUCCESS);
    fill(&shared[0], 0x5a);
    clock_spin(20000);
    check(shared[0].steal == 0x5a5a5a5a5a5a5a5a, "the old area is still written");
    check(stolen(&shared[1]) != 0, "the new area is not written");
    expect("off", UINT64_MAX, UINT64_MAX, 0, SBI_SUCCESS);
    fill(&shared[1], 0x5a);
    clock_spin(20000);
    check(shared[1].steal == 0x5a5a5a5a5a5a5a5a && shared[1].sequence == 0x5a5a5a5a,
          "written after it was turned off");
    expect("off again", UINT64_MAX, UINT64_MAX, 0, SBI_SUCCESS);
}

void main(void)
{
    interrupts_disable();
    test_refusals();
    test_account();
    test_idle();
    test_end();
    check_pass();
}

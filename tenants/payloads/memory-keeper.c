/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Suspends whenever a key is typed, with the upper half of its memory full of numbers, and checks
 * when it resumes, in this machine or in another one, that they are as they were.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/suspend.h"
#include "rt/uart.h"

#define LOOK_US 1000

const char payload_name[] = "memory-keeper";

static uint64_t *kept_words(uint64_t *count)
{
    *count = platform.memory_size / 2 / sizeof(uint64_t);
    return (uint64_t *)(platform.memory_base + platform.memory_size / 2);
}

/* Numbers that no compression makes small: a step of a linear generator (Knuth, MMIX). */
static uint64_t next_number(uint64_t number)
{
    return number * 6364136223846793005 + 1442695040888963407;
}

static void fill(uint64_t round)
{
    uint64_t count, number = round;
    uint64_t *words = kept_words(&count);

    for (uint64_t i = 0; i < count; i++) {
        number = next_number(number);
        words[i] = number;
    }
}

static void check_memory(uint64_t round)
{
    uint64_t count, number = round;
    const uint64_t *words = kept_words(&count);

    for (uint64_t i = 0; i < count; i++) {
        number = next_number(number);
        check(words[i] == number, "round %lu: word %lu is 0x%lx", round, i, words[i]);
    }
}

static void sleep(uint64_t round)
{
    struct suspend_result result;

    fill(round);
    csr_write(sie, 0);
    suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
    check(result.resumed == 1, "the suspend returned, error %ld", result.error);
    check(result.hart == platform.hart && result.satp == 0, "a0 is %lu, satp is 0x%lx", result.hart,
          result.satp);
    check_memory(round);
    print("memory-keeper: round=%lu kept\n", round);
}

static void wait_for_key(void)
{
    uint8_t byte;

    while (!uart_get(&byte)) {
        clock_sleep(LOOK_US);
    }
}

void main(void)
{
    check(platform.uart_base != 0, "no UART");
    uart_init();
    print("memory-keeper: ready\n");
    for (uint64_t round = 1;; round++) {
        wait_for_key();
        sleep(round);
    }
}

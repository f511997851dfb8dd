/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/hostile.h"
#include "components/lib/print.h"

#define PAUSE_TICKS 1000

/* In the page that hostile wants to read and write. */
static volatile uint64_t secret = 0x5ec3e7;
static uint64_t wrongs;

static void fail(const char *what, uint64_t attempt, uint64_t value)
{
    wrongs++;
    print_line("hostile: attempt %lu: %s (0x%lx)", attempt, what, value);
}

static void try_once(uint64_t attempt)
{
    uint64_t before = kernel_call(CALL_RESTARTS, ID_HOSTILE, 0, 0).value;
    struct result result = hostile_attempt(attempt, (uint64_t)(uintptr_t)&secret);
    uint64_t restarts = kernel_call(CALL_RESTARTS, ID_HOSTILE, 0, 0).value - before;
    bool is_fatal = attempt >= HOSTILE_FATAL;

    if (is_fatal && (result.error != ERROR_FAILED || restarts != 1)) {
        fail("was not restarted", attempt, (uint64_t)result.error);
    }
    if (!is_fatal && (result.error != OK || result.value != 0 || restarts != 0)) {
        fail("got something", attempt, result.value);
    }
    if (secret != 0x5ec3e7) {
        fail("wrote into another component", attempt, secret);
    }
}

/* What the reader adds up if it can read the page. */
static uint64_t lent[512] __attribute__((aligned(4096)));

/* Memory that is lent can be used for as long as it is, and that page only. */
static void try_lending(void)
{
    uint64_t address = (uintptr_t)lent;
    struct result result;

    lent[0] = 40;
    lent[511] = 2;
    if (reader_add(address, 512).error != ERROR_FAILED) {
        fail("memory was read that was not lent", 0, address);
    }
    kernel_call(CALL_LEND, CAPABILITY_READER_ADD, address, 0);
    result = reader_add(address, 512);
    if (result.error != OK || result.value != 42) {
        fail("memory was lent and not read", 0, result.value);
    }
    if (kernel_call(CALL_LEND, CAPABILITY_HOSTILE_ATTEMPT, address, 0).error != ERROR_BUSY) {
        fail("memory was lent twice", 0, address);
    }
    if (reader_add(address, 513).error != ERROR_FAILED) {
        fail("more was read than was lent", 0, address);
    }
    if (reader_add(address, 1).error != ERROR_FAILED) {
        fail("a restarted component kept what was lent to it", 0, address);
    }
    kernel_call(CALL_LEND, CAPABILITY_READER_ADD, address, 0);
    kernel_call(CALL_TAKE_BACK, 0, 0, 0);
    if (reader_add(address, 1).error != ERROR_FAILED) {
        fail("memory was read that was taken back", 0, address);
    }
}

void thread_run(uint64_t unused)
{
    uint64_t attempts = 0;

    (void)unused;
    try_lending();
    for (unsigned round = 0; round < HOSTILE_ROUNDS; round++) {
        for (uint64_t attempt = 0; attempt < HOSTILE_ATTEMPTS; attempt++) {
            ticker_pause(PAUSE_TICKS); /* others run: threads that it made */
            try_once(attempt);
            attempts++;
        }
    }
    print_line("%s components: attempts=%lu wrong=%lu", wrongs == 0 ? "PASS" : "FAIL", attempts,
               wrongs);
    kernel_call(CALL_SHUTDOWN, wrongs != 0, 0, 0);
}

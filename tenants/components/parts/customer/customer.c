/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "generated.h"

#define PATIENCE_US 1000000
#define RETRY_US 200000

static uint64_t number __attribute__((aligned(4096)));

void thread_call(uint64_t unused)
{
    uint64_t words[2] = {0};
    bool is_lent = false;

    (void)unused;
    memcpy(words, "bench", 5);
    for (;;) {
        struct result size;

        if (!is_lent) { /* or not any more: a restart of the translator ends it */
            kernel_call(CALL_LEND, CAPABILITY_TRANSLATOR_CALL, (uintptr_t)&number, 0);
        }
        size = translator_call(words[0], words[1], (uintptr_t)&number, sizeof(number),
                               sizeof(number), PATIENCE_US);
        is_lent = size.error == OK && size.value == sizeof(number);
        if (!is_lent) {
            timer_sleep(RETRY_US);
        }
    }
}

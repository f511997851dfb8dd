/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/network.h"
#include "generated.h"

#define PAGE 4096
#define PORT 7
#define WAIT_US 1000000
#define PATIENCE_US 10000000

static BUFFER uint8_t datagram[PAGE] __attribute__((aligned(PAGE)));

void thread_echo(uint64_t unused)
{
    uint64_t address = (uintptr_t)datagram;

    (void)unused;
    for (;;) {
        struct result result;

        watchdog_beat(PATIENCE_US);
        /* A restart of the stack has ended it. */
        kernel_call(CALL_LEND, CAPABILITY_IP_DATAGRAM, address, 0);
        result = ip_datagram(PORT, address, WAIT_US);
        if (result.error == OK && result.value != NETWORK_FAILED) {
            ip_answer(address, result.value);
        }
    }
}

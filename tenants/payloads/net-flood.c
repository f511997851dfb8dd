/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floods its network with frames to all as fast as they are taken, and takes none that come. Prints
 * "flood" once a second while frames are taken.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/net.h"
#include "rt/platform.h"
#include "rt/plic.h"

#define PRIORITY 1
#define SECOND_US 1000000

const char payload_name[] = "net-flood";

/* Waits for an interrupt, with interrupts off, and answers it. */
static void wait(void)
{
    uint32_t source;

    wait_for_interrupt();
    source = plic_claim();
    if (source != 0) {
        net_interrupt();
        plic_complete(source);
    }
}

void main(void)
{
    static const uint8_t frame[60] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, [12] = 0x88, [13] = 0xb5};
    uint64_t next;

    interrupts_disable();
    check(net_start(), "there is no network device");
    plic_set_threshold(0);
    plic_enable(net_source(), PRIORITY);
    csr_write(sie, INTERRUPT_EXTERNAL);
    next = clock_now();
    for (;;) {
        if (!net_send(frame, sizeof(frame))) {
            wait();
        } else if (clock_now() >= next) {
            print("flood\n");
            next += clock_ticks(SECOND_US);
        }
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleeps, again and again, for times so short that it is due again while the monitor still does
 * something else.
 *
 * Arguments: ticks=N   how long, in ticks of the clock (default 4)
 */
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

const char payload_name[] = "short-naps";

void main(void)
{
    uint64_t ticks = platform_number("ticks", 4);

    csr_write(sie, INTERRUPT_TIMER);
    print("short-naps: go\n");
    for (;;) {
        sbi_set_timer(clock_now() + ticks);
        wait_for_interrupt();
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the tenants between which the world is switched: a periodic one, which sleeps in WFI until
 * its timer, or one that is always busy. What a switch takes is seen from outside, in the trace of
 * the monitor's instructions.
 *
 * Arguments: period=N   sleeps N ticks at a time (default 0: always busy)
 *            fp=1       changes a floating-point register all the time
 *            sstc=1     programs stimecmp itself instead of asking the firmware
 *            pages=1    runs with page tables of the shape that Linux has (Sv57)
 */
#include <stdbool.h>
#include <stddef.h>

#include "bench/sv57.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"

static bool uses_fp;
static bool has_sstc;

static void change_fp(void)
{
    if (uses_fp) {
        __asm__ volatile(".option push\n"
                         ".option arch, +d\n"
                         "fcvt.d.w f8, %0\n"
                         ".option pop\n"
                         :
                         : "r"(1));
    }
}

static void set_timer(uint64_t deadline)
{
    if (has_sstc) {
        __asm__ volatile("csrw 0x14d, %0" : : "r"(deadline)); /* stimecmp */
    } else {
        sbi_set_timer(deadline);
    }
}

static void sleep_until(uint64_t deadline)
{
    set_timer(deadline);
    while (clock_now() < deadline) {
        wait_for_interrupt();
    }
}

void main(void)
{
    uint64_t period = platform_number("period", 0);
    uint64_t due = clock_now();

    uses_fp = platform_number("fp", 0) != 0;
    has_sstc = platform_number("sstc", 0) != 0;
    if (uses_fp) {
        csr_set(sstatus, SSTATUS_FS_INITIAL);
    }
    if (platform_number("pages", 0) != 0) {
        sv57_enable(NULL, 0);
    }
    csr_write(sie, INTERRUPT_TIMER);
    print("bench: start\n");
    for (;;) {
        change_fp();
        if (period != 0) {
            due += period;
            sleep_until(due);
        }
    }
}

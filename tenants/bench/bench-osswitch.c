/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A member of a group that does nothing but suspend to RAM: what the monitor does between two of
 * them is seen from outside, in the trace of its instructions.
 */
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/suspend.h"

void main(void)
{
    struct suspend_result result;

    interrupts_disable();
    print("bench: start\n");
    do {
        suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
    } while (result.resumed != 0);
    print("bench: error %ld\n", result.error);
}

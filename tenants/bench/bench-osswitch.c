/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A member of a group that does nothing but suspend to RAM: what the monitor does between two of
 * them is seen from outside, in the trace of its instructions.
 *
 * Arguments: enabled=N   before each suspend, enables the sources 1 to N of its PLIC, as drivers do
 */
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/suspend.h"

static void enable(uint32_t last)
{
    for (uint32_t source = 1; source <= last; source++) {
        plic_enable(source, 1);
    }
}

void main(void)
{
    uint32_t last = (uint32_t)platform_number("enabled", 0);
    struct suspend_result result;

    interrupts_disable();
    print("bench: start\n");
    do {
        enable(last);
        suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
    } while (result.resumed != 0);
    print("bench: error %ld\n", result.error);
}

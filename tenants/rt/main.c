/* SPDX-License-Identifier: BSD-2-Clause */
/* From the first C function to main(). */
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

void rt_main(uint64_t hart, const void *devicetree);

/* Called by start.S on the boot stack, relocated, .bss clear, interrupts off. */
void rt_main(uint64_t hart, const void *devicetree)
{
    trap_init();
    console_init();
    platform_init(hart, devicetree);
    console_find_port();
    main();
    sbi_shutdown(false);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant that reboots for ever, 100 ms after each start. Its memory has to come back as it was
 * loaded: a mark left in .data and .bss must be gone.
 *
 * Arguments: delay=N   milliseconds before the reboot (default 100)
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define UNTOUCHED 0x1234

const char payload_name[] = "reboot";

static volatile uint32_t initialised = UNTOUCHED;
/* Beyond .bss, so that start.S does not clear it: the loader has to. */
extern volatile uint32_t image_end[];

void main(void)
{
    print("booted\n");
    check(initialised == UNTOUCHED, "initialised data kept 0x%x from the last boot", initialised);
    check(image_end[0] == 0, "memory behind the image kept 0x%x from the last boot", image_end[0]);
    initialised = ~UNTOUCHED;
    image_end[0] = ~UNTOUCHED;
    clock_sleep(platform_number("delay", 100) * 1000);
    sbi_reboot();
}

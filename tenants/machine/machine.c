/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tenants/rt offers above SBI, for a program that has the whole machine: its start, its
 * console at the board's 16550, and its end by the test finisher.
 */
#include "machine/machine.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "rt/console.h"
#include "rt/format.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/uart.h"

void rt_main(uint64_t hart, const void *devicetree);

void rt_main(uint64_t hart, const void *devicetree)
{
    platform_init(hart, devicetree);
    uart_init();
    main();
    sbi_shutdown(false);
}

void console_write(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        uart_put((uint8_t)bytes[i]);
    }
}

/* The UART always has room, if not at once. */
void console_set_wait(void (*wait)(void))
{
    (void)wait;
}

void print(const char *format, ...)
{
    char line[256];
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    length = format_list(line, sizeof(line), format, arguments);
    va_end(arguments);
    console_write(line, length);
}

static __attribute__((noreturn)) void finish(uint32_t how)
{
    REGISTER32(FINISHER) = how;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

void sbi_shutdown(bool failure)
{
    finish(failure ? FINISHER_FAIL : FINISHER_PASS);
}

void sbi_reboot(void)
{
    finish(FINISHER_RESET);
}

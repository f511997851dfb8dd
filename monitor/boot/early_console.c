/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/early_console.h"

#include "arch/mmio.h"
#include "device/reset.h"
#include "device/uart.h"

/* Not in bss: it is used before the image has been copied, see boot/start.S. */
#define EARLY_DATA __attribute__((section(".data.early")))

static struct uart uart EARLY_DATA;
static struct reset reset EARLY_DATA;

void early_console_init(const struct monitor_header *header)
{
    for (unsigned i = 0; i < COTENANT_UART_SETUP_WRITES; i++) {
        if (header->uart_setup[i].address != 0) {
            mmio_write32(header->uart_setup[i].address, header->uart_setup[i].value);
        }
    }
    uart_init(&uart, header->uart_kind, header->uart_base, header->uart_register_shift, 0);
    reset = (struct reset){header->reset_kind, header->reset_base};
}

static void __attribute__((noinline)) put(const char *text)
{
    uart_put_text(&uart, text);
}

/* Below 100: of a tenant, vhart, hart, device or channel. */
static void put_index(int32_t index)
{
    const char digits[] = {(char)('0' + index / 10 % 10), (char)('0' + index % 10), '\0'};

    put(&digits[index < 10]);
}

_Noreturn void early_console_refuse(const struct check_result *result)
{
    put("monitor: refused the bundle: ");
    if (result->index == CHECK_NO_FEATURE) {
        put("features: this monitor is built without ");
    }
    put(result->problem);
    if (result->rule != 0) {
        put(": ");
        put(result->problem + result->rule);
    }
    if (result->index >= 0) {
        put(" [");
        put_index(result->index);
        put("]");
    }
    put("\r\n");
    for (unsigned polls = 0; polls < UART_MOST_POLLS && !uart_transmit_done(&uart); polls++) {
    }
    reset_power_off(&reset);
    for (;;) {
        __asm__ volatile("wfi");
    }
}

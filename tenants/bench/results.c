/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/results.h"

#include <stdarg.h>

#include "rt/console.h"
#include "rt/fdt.h"
#include "rt/format.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define REGISTER_TEXT 0x00
#define REGISTER_MARK 0x08
#define REGISTER_END 0x20

static uint64_t port;

void results_open(void)
{
    struct fdt_node node;
    uint64_t size;

    if (!fdt_find_compatible(&platform.fdt, "cotenant,rtl-results", &node) ||
        !fdt_reg(&platform.fdt, &node, &port, &size)) {
        port = 0;
    }
}

static void write_port(uint64_t offset, uint64_t value)
{
    if (port != 0) {
        *(volatile uint64_t *)(port + offset) = value;
    }
}

static void write_list(const char *format, va_list arguments)
{
    char line[200];
    size_t length = format_list(line, sizeof(line), format, arguments);

    if (port == 0) {
        console_write(line, length);
        return;
    }
    for (const char *next = line; *next != '\0'; next++) {
        write_port(REGISTER_TEXT, (uint8_t)*next);
    }
}

void results_print(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_list(format, arguments);
    va_end(arguments);
}

void results_mark(uint64_t value)
{
    write_port(REGISTER_MARK, value);
}

void results_end(void)
{
    write_port(REGISTER_END, 0);
}

void results_pass(const char *name)
{
    results_print("PASS %s\n", name);
    sbi_shutdown(false);
}

void results_fail(const char *name, const char *format, ...)
{
    va_list arguments;

    results_print("FAIL %s: ", name);
    va_start(arguments, format);
    write_list(format, arguments);
    va_end(arguments);
    results_print("\n");
    sbi_shutdown(true);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/console.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/fdt.h"
#include "rt/format.h"
#include "rt/platform.h"
#include "rt/sbi.h"

/* Bytes asked for in one call: keeps each stay in the firmware short. */
#define CHUNK 128

static bool has_debug_console;
static volatile uint64_t *port; /* a character at a time; NULL: there is none */
static void (*wait_for_room)(void);

void console_init(void)
{
    has_debug_console = sbi_probe(SBI_EXT_DBCN);
}

void console_set_wait(void (*wait)(void))
{
    wait_for_room = wait;
}

void console_find_port(void)
{
    struct fdt_node node;
    uint64_t address;
    uint64_t size;

    if (fdt_find_compatible(&platform.fdt, "cotenant,rtl-results", &node) &&
        fdt_reg(&platform.fdt, &node, &address, &size)) {
        port = (volatile uint64_t *)(uintptr_t)address;
    }
}

static void legacy_write(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        sbi_call(SBI_EXT_LEGACY_PUTCHAR, 0, (uint8_t)bytes[i], 0, 0);
    }
}

size_t console_offer(const char *bytes, size_t length)
{
    size_t done = 0;

    for (; port != NULL && done < length; done++) {
        *port = (uint8_t)bytes[done];
    }
    if (!has_debug_console) {
        legacy_write(bytes, length);
        return length;
    }
    while (done < length) {
        size_t chunk = length - done < CHUNK ? length - done : CHUNK;
        struct sbi_result result =
            sbi_call(SBI_EXT_DBCN, SBI_DBCN_WRITE, chunk, (uintptr_t)bytes + done, 0);

        if (result.error != SBI_SUCCESS || result.value > chunk) {
            return length;
        }
        if (result.value == 0) {
            break;
        }
        done += result.value;
    }
    return done;
}

void console_write(const char *bytes, size_t length)
{
    for (;;) {
        size_t done = console_offer(bytes, length);

        if (done == length) {
            return;
        }
        bytes += done;
        length -= done;
        if (wait_for_room != NULL) {
            wait_for_room();
        }
    }
}

size_t console_read(char *bytes, size_t length)
{
    struct sbi_result result;

    if (!has_debug_console) {
        return 0;
    }
    result = sbi_call(SBI_EXT_DBCN, SBI_DBCN_READ, length, (uintptr_t)bytes, 0);
    return result.error == SBI_SUCCESS && result.value <= length ? result.value : 0;
}

void print(const char *format, ...)
{
    char line[256];
    size_t length;
    va_list arguments;

    va_start(arguments, format);
    length = format_list(line, sizeof(line), format, arguments);
    va_end(arguments);
    console_write(line, length);
}

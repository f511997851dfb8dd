/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/check.h"

#include <stdarg.h>

#include "rt/console.h"
#include "rt/csr.h"
#include "rt/format.h"
#include "rt/sbi.h"

/* Defined by the build for each payload: the name of its file. */
extern const char payload_name[];

void check_pass(void)
{
    interrupts_disable();
    print("PASS %s\n", payload_name);
    sbi_shutdown(false);
}

void check_fail(const char *format, ...)
{
    char reason[200];
    va_list arguments;

    interrupts_disable();
    va_start(arguments, format);
    format_list(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    print("FAIL %s: %s\n", payload_name, reason);
    sbi_shutdown(true);
}

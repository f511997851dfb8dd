/* SPDX-License-Identifier: BSD-2-Clause */
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

bool as_json;
enum exit_code start_failure = EXIT_NO_START;

__attribute__((noreturn)) static void end(enum exit_code code, const char *format,
                                          va_list arguments)
{
    char text[512];

    vsnprintf(text, sizeof(text), format, arguments);
    if (as_json) {
        json_open('{');
        json_bool("ok", false);
        json_string("error", text);
        json_close('}');
    } else {
        fflush(stdout);
        fprintf(stderr, "cohost: %s\n", text);
    }
    exit(code);
}

void fail(enum exit_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    end(code, format, arguments);
}

void fail_start(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    end(start_failure, format, arguments);
}

void fail_errno(const char *what, const char *name)
{
    fail_start("cannot %s %s: %s", what, name, strerror(errno));
}

void say(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs("cohost: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\n", stderr);
}

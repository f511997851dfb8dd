/* SPDX-License-Identifier: BSD-2-Clause */
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"

bool as_json;

static void show_error(const char *text)
{
    if (as_json) {
        json_open('{');
        json_bool("ok", false);
        json_string("error", text);
        json_close('}');
        fflush(stdout);
    } else {
        fflush(stdout);
        fprintf(stderr, "%s: ", program_invocation_short_name);
        put_plain(stderr, text, strlen(text));
        fputc('\n', stderr);
    }
}

void fail(enum exit_code code, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    show_error(text);
    exit(code);
}

void fail_errno(const char *what, const char *name)
{
    fail(EXIT_REFUSED, "cannot %s %s: %s", what, name, strerror(errno));
}

void say_done(const char *format, ...)
{
    va_list arguments;

    if (as_json) {
        json_open('{');
        json_bool("ok", true);
        json_close('}');
        return;
    }
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

void put_plain(FILE *to, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool plain = byte == '\n' || byte == '\t' || (byte >= ' ' && byte < 0x7f);

        if (byte != '\r') {
            fputc(plain ? byte : '.', to);
        }
    }
}

void say_progress(const char *what, uint64_t done, uint64_t total)
{
    static const char *last;
    static int shown;
    int percent = total == 0 ? 100 : (int)(done * 100 / total);

    if ((what == last && percent == shown) || !isatty(STDERR_FILENO)) {
        return;
    }
    last = what;
    shown = percent;
    fprintf(stderr, "\r%s: %3d %%%s", what, percent, done == total ? "\n" : "");
}

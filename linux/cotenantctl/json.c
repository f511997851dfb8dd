/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned depth;
static bool first = true; /* nothing stands in the innermost bracket yet */

/* RFC 8259, section 7. What is not ASCII is taken for Latin-1: any bytes make valid JSON. */
static void put_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\') {
            printf("\\%c", byte);
        } else if (byte < ' ' || byte >= 0x7f) {
            printf("\\u%04x", byte);
        } else {
            putchar(byte);
        }
    }
    putchar('"');
}

static void begin(const char *name)
{
    if (!first) {
        fputs(", ", stdout);
    }
    first = false;
    if (name != NULL) {
        put_text(name);
        fputs(": ", stdout);
    }
}

void json_open_member(const char *name, char bracket)
{
    begin(name);
    putchar(bracket);
    depth++;
    first = true;
}

void json_open(char bracket)
{
    json_open_member(NULL, bracket);
}

void json_close(char bracket)
{
    putchar(bracket);
    depth--;
    first = depth == 0;
    if (depth == 0) {
        putchar('\n');
    }
}

void json_string(const char *name, const char *text)
{
    begin(name);
    put_text(text);
}

void json_number(const char *name, uint64_t number)
{
    begin(name);
    printf("%" PRIu64, number);
}

void json_bool(const char *name, bool value)
{
    begin(name);
    fputs(value ? "true" : "false", stdout);
}

void json_hundredths(const char *name, uint64_t hundredths)
{
    begin(name);
    printf("%" PRIu64 ".%02" PRIu64, hundredths / 100, hundredths % 100);
}

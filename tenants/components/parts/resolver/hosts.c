/* SPDX-License-Identifier: BSD-2-Clause */
#include "hosts.h"

#include <stdbool.h>
#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* The next word of the line from *at on: its length, 0 at the end or at a comment. */
static size_t next_word(const char *line, size_t size, size_t *at)
{
    size_t length = 0;

    while (*at < size && is_blank(line[*at])) {
        (*at)++;
    }
    while (*at + length < size && !is_blank(line[*at + length]) && line[*at + length] != '#') {
        length++;
    }
    return length;
}

/* 0: it is no IPv4 address. */
static uint32_t read_address(const char *word, size_t length)
{
    uint32_t address = 0;
    unsigned parts = 0;
    unsigned value = 0;
    unsigned digits = 0;

    for (size_t i = 0; i <= length; i++) {
        if (i < length && word[i] >= '0' && word[i] <= '9' && digits < 3) {
            value = value * 10 + (unsigned)(word[i] - '0');
            digits++;
            continue;
        }
        if (digits == 0 || value > 255 || parts == 4 || (i < length && word[i] != '.')) {
            return 0;
        }
        address = address << 8 | value;
        parts++;
        value = digits = 0;
    }
    return parts == 4 ? address : 0;
}

static uint32_t find_in_line(const char *line, size_t size, const char *name)
{
    size_t at = 0;
    size_t length = next_word(line, size, &at);
    uint32_t address = read_address(line + at, length);

    while (length != 0) {
        at += length;
        length = next_word(line, size, &at);
        if (length != 0 && length == strlen(name) && memcmp(line + at, name, length) == 0) {
            return address;
        }
    }
    return 0;
}

uint32_t hosts_find(const char *text, size_t size, const char *name)
{
    while (size != 0) {
        const char *end = memchr(text, '\n', size);
        size_t length = end != NULL ? (size_t)(end - text) : size;
        uint32_t address = find_in_line(text, length, name);

        if (address != 0) {
            return address;
        }
        length += end != NULL;
        text += length;
        size -= length;
    }
    return 0;
}

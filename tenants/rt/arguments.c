/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/arguments.h"

#include <stddef.h>
#include <string.h>

const char *argument_find(const char *arguments, const char *name)
{
    const char *word = arguments;
    size_t length = strlen(name);

    while (*word != '\0') {
        while (*word == ' ') {
            word++;
        }
        if (strncmp(word, name, length) == 0 && word[length] == '=') {
            return word + length + 1;
        }
        while (*word != '\0' && *word != ' ') {
            word++;
        }
    }
    return NULL;
}

/* The value of a digit, or 16 if it is none. */
static unsigned digit_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return (unsigned)(digit - '0');
    }
    if (digit >= 'a' && digit <= 'f') {
        return (unsigned)(digit - 'a') + 10;
    }
    if (digit >= 'A' && digit <= 'F') {
        return (unsigned)(digit - 'A') + 10;
    }
    return 16;
}

bool argument_number(const char **text, uint64_t *value)
{
    const char *digit = *text;
    unsigned base = 10;
    uint64_t number = 0;

    if (digit[0] == '0' && (digit[1] == 'x' || digit[1] == 'X')) {
        base = 16;
        digit += 2;
    }
    if (digit_value(*digit) >= base) {
        return false;
    }
    while (digit_value(*digit) < base) {
        if (number > (UINT64_MAX - digit_value(*digit)) / base) {
            return false;
        }
        number = number * base + digit_value(*digit++);
    }
    *value = number;
    *text = digit;
    return true;
}

uint64_t argument_milliseconds(const char *text, uint64_t otherwise)
{
    uint64_t value;

    if (text == NULL || !argument_number(&text, &value) || value == 0) {
        return otherwise;
    }
    return text[0] == 'm' && text[1] == 's' ? value : value * 1000;
}

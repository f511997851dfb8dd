/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct output {
    char *buffer;
    size_t size;
    size_t length;
    va_list arguments; /* not yet formatted */
};

/* One conversion: what stands between the percent sign and the letter. */
struct conversion {
    bool zeros;
    bool wide; /* a 64-bit argument */
    size_t width;
};

static void put(struct output *output, char character)
{
    if (output->length + 1 < output->size) {
        output->buffer[output->length++] = character;
    }
}

static void put_padded(struct output *output, const char *text, size_t length, size_t width)
{
    for (size_t i = length; i < width; i++) {
        put(output, ' ');
    }
    for (size_t i = 0; i < length; i++) {
        put(output, text[i]);
    }
}

static void put_number(struct output *output, const struct conversion *conversion, uint64_t value,
                       bool negative, unsigned base)
{
    char digits[24];
    size_t first = sizeof(digits);
    size_t minimum = conversion->zeros ? conversion->width : 1;

    if (minimum > 20) {
        minimum = 20;
    }
    do {
        digits[--first] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (sizeof(digits) - first + negative < minimum) {
        digits[--first] = '0';
    }
    if (negative) {
        digits[--first] = '-';
    }
    put_padded(output, &digits[first], sizeof(digits) - first, conversion->width);
}

static const char *parse_conversion(const char *format, struct conversion *conversion)
{
    *conversion = (struct conversion){0};
    if (*format == '0') {
        conversion->zeros = true;
        format++;
    }
    while (*format >= '0' && *format <= '9' && conversion->width < 100) {
        conversion->width = conversion->width * 10 + (size_t)(*format++ - '0');
    }
    while (*format == 'l' || *format == 'z') {
        conversion->wide = true;
        format++;
    }
    return format;
}

static void put_conversion(struct output *output, const struct conversion *conversion, char letter)
{
    if (letter == 'd' || letter == 'i') {
        int64_t value =
            conversion->wide ? va_arg(output->arguments, int64_t) : va_arg(output->arguments, int);

        put_number(output, conversion, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0,
                   10);
    } else if (letter == 'u' || letter == 'x') {
        uint64_t value = conversion->wide ? va_arg(output->arguments, uint64_t)
                                          : va_arg(output->arguments, unsigned);

        put_number(output, conversion, value, false, letter == 'x' ? 16 : 10);
    } else if (letter == 'p') {
        put_padded(output, "0x", 2, 0);
        put_number(output, conversion, (uintptr_t)va_arg(output->arguments, void *), false, 16);
    } else if (letter == 's') {
        const char *text = va_arg(output->arguments, const char *);

        put_padded(output, text, strlen(text), conversion->width);
    } else if (letter == 'c') {
        put(output, (char)va_arg(output->arguments, int));
    } else {
        put(output, '%');
        put(output, letter);
    }
}

size_t format_list(char *buffer, size_t size, const char *format, va_list arguments)
{
    struct output output = {.buffer = buffer, .size = size};
    struct conversion conversion;

    va_copy(output.arguments, arguments);
    while (*format != '\0') {
        if (*format != '%' || format[1] == '%') {
            format += *format == '%';
            put(&output, *format++);
            continue;
        }
        format = parse_conversion(format + 1, &conversion);
        if (*format == '\0') {
            break;
        }
        put_conversion(&output, &conversion, *format++);
    }
    va_end(output.arguments);
    buffer[output.length] = '\0';
    return output.length;
}

size_t format_text(char *buffer, size_t size, const char *format, ...)
{
    size_t length;
    va_list arguments;

    va_start(arguments, format);
    length = format_list(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

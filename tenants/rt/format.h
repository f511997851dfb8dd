/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formatting of text, a small part of printf: %c %s %d %i %u %x %p %%, with the flag 0, a width,
 * and the length l, ll or z. Anything else is copied as it stands. Any context, no state.
 */
#ifndef COTENANT_RT_FORMAT_H
#define COTENANT_RT_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Formats into `buffer` of `size` bytes (at least 1), always ended by a zero byte; what does not
 * fit is cut. Returns the number of bytes before the zero byte.
 */
size_t format_list(char *buffer, size_t size, const char *format, va_list arguments);

__attribute__((format(printf, 3, 4))) size_t format_text(char *buffer, size_t size,
                                                         const char *format, ...);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted lines by way of the console component, for those that need console.write. */
#ifndef COTENANT_COMPONENTS_PRINT_H
#define COTENANT_COMPONENTS_PRINT_H

#include <stdarg.h>
#include <string.h>

#include "generated.h"
#include "rt/format.h"

/* One line, without its end. A console that is being restarted is asked again, a few times. */
static inline __attribute__((format(printf, 1, 2))) void print_line(const char *format, ...)
{
    char line[200];
    va_list arguments;
    size_t length;
    uint64_t words[5];

    va_start(arguments, format);
    length = format_list(line, sizeof(line) - 1, format, arguments);
    va_end(arguments);
    line[length++] = '\n';
    for (size_t done = 0; done < length; done += sizeof(words)) {
        size_t chunk = length - done < sizeof(words) ? length - done : sizeof(words);

        memset(words, 0, sizeof(words));
        memcpy(words, line + done, chunk);
        for (unsigned attempt = 0; attempt < 3; attempt++) {
            if (console_write(chunk, words[0], words[1], words[2], words[3], words[4]).error ==
                OK) {
                break;
            }
        }
    }
}

#endif

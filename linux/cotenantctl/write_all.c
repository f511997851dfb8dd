/* SPDX-License-Identifier: BSD-2-Clause */
#include "write_all.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "say.h"

void write_all(int file, const char *name, const void *bytes, size_t length)
{
    const uint8_t *next = bytes;

    while (length > 0) {
        ssize_t count = write(file, next, length);

        if (count < 0 && errno != EINTR) {
            fail_errno("write", name);
        }
        if (count > 0) {
            next += count;
            length -= (size_t)count;
        }
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

#include <string.h>

static const char method[] = "GET ";

bool request_is_whole(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        /* Lines may end without CR (RFC 1945, appendix B). */
        if (bytes[i] == '\n' && ((i + 1 < size && bytes[i + 1] == '\n') ||
                                 (i + 2 < size && bytes[i + 1] == '\r' && bytes[i + 2] == '\n'))) {
            return true;
        }
    }
    return false;
}

static bool ends_path(char byte)
{
    return byte == ' ' || byte == '?' || byte == '\r' || byte == '\n';
}

enum request request_read(const char *bytes, size_t size, char path[PATH_SIZE + 1])
{
    const size_t start = sizeof(method); /* behind the slash */
    size_t length = 0;

    if (size < start || memcmp(bytes, method, start - 1) != 0) {
        return memchr(bytes, ' ', size) != NULL ? REQUEST_METHOD : REQUEST_BAD;
    }
    if (bytes[start - 1] != '/') {
        return REQUEST_BAD;
    }
    while (start + length < size && !ends_path(bytes[start + length])) {
        if (bytes[start + length] <= ' ' || length == PATH_SIZE) {
            return length == PATH_SIZE ? REQUEST_NOT_FOUND : REQUEST_BAD;
        }
        path[length] = bytes[start + length];
        length++;
    }
    if (start + length == size) {
        return REQUEST_BAD;
    }
    path[length] = '\0';
    return REQUEST_GOOD;
}

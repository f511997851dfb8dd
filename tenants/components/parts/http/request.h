/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading of requests. Native tests: tests/unit/c/test_component_request.c. */
#ifndef COTENANT_COMPONENTS_REQUEST_H
#define COTENANT_COMPONENTS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* The longest path, without the slash in front. */
#define PATH_SIZE 32

/* What a request is: its path, or the status that answers it. */
enum request {
    REQUEST_GOOD = 200,
    REQUEST_BAD = 400,
    REQUEST_NOT_FOUND = 404,
    REQUEST_METHOD = 405
};

/* Whether the `size` bytes at `bytes` hold a whole request: its headers end with an empty line. */
bool request_is_whole(const char *bytes, size_t size);

/*
 * Reads the first line of a request of `size` bytes, from anybody. `path` gets the path without the
 * slash in front and what follows a '?', ended by a zero byte, if the result is REQUEST_GOOD; a
 * longer one than PATH_SIZE is of no page: REQUEST_NOT_FOUND.
 */
enum request request_read(const char *bytes, size_t size, char path[PATH_SIZE + 1]);

#endif

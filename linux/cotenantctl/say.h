/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program tells its user, and the ways it ends. */
#ifndef COTENANTCTL_SAY_H
#define COTENANTCTL_SAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes; the manual page lists them. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1, /* the monitor refused, or something here failed */
    EXIT_USAGE = 2,
    EXIT_NO_MONITOR = 3, /* nothing that speaks the protocol answered */
};

/* Results go to standard output as JSON. */
extern bool as_json;

/* Ends the program with a sentence: on standard error, or as JSON where that was asked for. */
__attribute__((noreturn, format(printf, 2, 3))) void fail(enum exit_code code, const char *format,
                                                          ...);

/* The same with the reason that errno tells. */
__attribute__((noreturn)) void fail_errno(const char *what, const char *name);

/* Something went as it was asked for. */
void say_done(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes text that came from elsewhere: control characters other than line ends become '.'. */
void put_plain(FILE *to, const char *text, size_t length);

/* How much of `total` bytes is done, on a terminal only; `done` == `total` ends the line. */
void say_progress(const char *what, uint64_t done, uint64_t total);

#endif

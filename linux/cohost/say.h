/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program tells its user, and the ways it ends. */
#ifndef COHOST_SAY_H
#define COHOST_SAY_H

#include <stdbool.h>

/* Exit codes; the manual page lists them. */
enum exit_code {
    EXIT_DONE = 0,     /* the guest powered itself off, or the verb did what it is for */
    EXIT_REFUSED = 1,  /* a verb about a guest that is not there, or that could not be done */
    EXIT_USAGE = 2,    /* the command line is wrong */
    EXIT_NO_START = 3, /* the guest could not be started */
    EXIT_PANIC = 4,    /* the guest's kernel panicked */
    EXIT_CRASH = 5,    /* the guest cannot go on: it has no trap handler that can be fetched */
    EXIT_STOPPED = 6,  /* it was ended from outside: cohost stop, a signal, Ctrl-A x */
    EXIT_REBOOT = 7,   /* it rebooted, and --no-reboot was given */
    EXIT_SAVED = 8,    /* it is in a file */
    EXIT_EXEC = 125,   /* exec: cohost failed, or the guest ended before the command did */
};

/* Results go to standard output as JSON. */
extern bool as_json;

/* What fail_start ends the program with: EXIT_NO_START, for exec EXIT_EXEC. */
extern enum exit_code start_failure;

/* Ends the program with a sentence: on standard error, or as JSON where that was asked for. */
__attribute__((noreturn, format(printf, 2, 3))) void fail(enum exit_code code, const char *format,
                                                          ...);

/* The same for what keeps a guest from starting. */
__attribute__((noreturn, format(printf, 1, 2))) void fail_start(const char *format, ...);

/* The same with the reason that errno tells. */
__attribute__((noreturn)) void fail_errno(const char *what, const char *name);

/* Says a sentence on standard error. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

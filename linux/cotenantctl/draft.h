/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file beside the one that is asked for, which it becomes when it is complete. Whatever ends the
 * program before removes it, but SIGKILL. One for a program; its main thread.
 */
#ifndef COTENANTCTL_DRAFT_H
#define COTENANTCTL_DRAFT_H

/* Makes the file. Returns it, open; -1: errno says why not. */
int draft_open(const char *path);

/* Gives the file the name that was asked for. -1: errno says why not. */
int draft_keep(const char *path);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Those who see the guest's console: the terminal that it was started on, and who attaches to the
 * socket. Each is shown what is kept of the output, and from then on all of it, in order: the guest
 * waits for the slowest one.
 */
#ifndef COHOST_VIEWERS_H
#define COHOST_VIEWERS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEWERS_MOST 8
/* What viewers_prepare fills in. */
#define VIEWERS_POLLS (VIEWERS_MOST + 1)

/* Lets viewers attach to a socket. `own`: the file that sees the console from the start, or -1. */
void viewers_open(const char *path, int own);

/* Takes output, as much as all viewers leave room for. Returns how much. */
size_t viewers_put(const uint8_t *bytes, size_t count);

/* Shows what can be shown without waiting. */
void viewers_show(void);

/* Whether something is left that a viewer has to take. */
bool viewers_behind(void);

/* Lets go of those who are attached and did not take all. */
void viewers_drop_slow(void);

/* Fills in what has to be waited for. `typing`: keys are wanted. */
void viewers_prepare(struct pollfd *wait, bool typing);

/* Does what the wait was for. Keys go to `bytes`, up to `room` of them; returns how many. */
size_t viewers_serve(const struct pollfd *wait, uint8_t *bytes, size_t room);

#endif

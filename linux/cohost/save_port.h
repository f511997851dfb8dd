/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a guest's process is asked to save it. A client (save.c) sends a byte with an open file.
 * The guest is asked to suspend itself, and when it has, it is written to the file. The answer is
 * "ok", or a sentence. After "ok" another byte of the client ends the guest; if the client goes
 * away, the guest goes on.
 */
#ifndef COHOST_SAVE_PORT_H
#define COHOST_SAVE_PORT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#define SAVE_POLLS 3
#define SAVE_ANSWER_SIZE 256
#define SAVE_OK "ok"

/*
 * Listens at a socket. NULL: the guest cannot be saved. `presses`: keys that a restored guest may
 * still answer.
 */
void save_port_open(const char *path, uint32_t presses);

/* Before a guest that has rebooted begins: it knows of no key. */
void save_port_forget_presses(void);

/* Whether the guest is in a file now. It ends then, or goes on if the client goes away. */
bool save_port_has_saved(void);

/* How long it may be waited, ms; -1: as long as it takes. */
int save_port_patience(void);

/* Fills in what has to be waited for, and does what the wait was for. */
void save_port_prepare(struct pollfd *wait);
void save_port_serve(const struct pollfd *wait);

/*
 * What writes the guest to a file; returns NULL, or what went wrong. `presses`: for
 * save_port_open() when it is restored.
 */
extern const char *(*save_port_write)(int file, uint32_t presses);

#endif

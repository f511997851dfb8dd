/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a terminal that are not for the guest: Ctrl-A and one more. */
#ifndef COHOST_KEYS_H
#define COHOST_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys {
    bool escaped; /* Ctrl-A came just now */
    bool stop;    /* Ctrl-A x has come: end the guest */
    bool leave;   /* Ctrl-A d has come: leave its console */
};

/* Takes the escapes out of what was typed; Ctrl-A Ctrl-A is Ctrl-A. Returns what is left. */
size_t keys_filter(struct keys *keys, uint8_t *bytes, size_t count);

#endif

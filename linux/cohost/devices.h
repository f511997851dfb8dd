/* SPDX-License-Identifier: BSD-2-Clause */
/* The virtio devices that were asked for: which are built in, and which others serve. */
#ifndef COHOST_DEVICES_H
#define COHOST_DEVICES_H

#include <stdbool.h>

#include "verbs.h"

/* Whether another process is to map the guest's memory. */
bool devices_share_memory(const struct request *request);

/* Whether another process serves a disk or a network card. */
bool devices_are_foreign(const struct request *request);

/* Puts them on the bus. `guest`: its name. */
void devices_add(const struct request *request, const char *guest);

#endif

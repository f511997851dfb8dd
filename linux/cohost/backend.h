/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that serve devices of the guest by vhost-user: programs of Debian, which end with this
 * one and are started again if they end before. Where "socket:PATH" stands for a file, a directory,
 * or the user's network, one runs already and listens there.
 */
#ifndef COHOST_BACKEND_H
#define COHOST_BACKEND_H

#include <stdbool.h>

/* Whether a text names a back end that runs. */
bool backend_is_named(const char *text);

/* A disk in the format qcow2, by qemu-storage-daemon. */
void backend_add_disk(const char *file, bool readonly);

/* The host's network as a user's, by passt; `options`: "forward=2222:22" and more with commas. */
void backend_add_net(const char *options, const char *guest);

/* A directory, by virtiofsd: "DIRECTORY=NAME", with the name by which the guest mounts it. */
void backend_add_share(const char *description);

#endif

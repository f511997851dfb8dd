/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A share of a tenant that is no guest. Its memory is no file that a back end of vhost-user could
 * map, so the back end sees a small memory of our own: each request is copied there, and the answer
 * back.
 */
#ifndef COHOST_BOUNCE_H
#define COHOST_BOUNCE_H

#include "vhost_device.h"

/* Adds a file system that is called `tag`. A back end that is lost is looked for again. */
void bounce_add_share(struct vhost_way *way, const char *tag);

#endif

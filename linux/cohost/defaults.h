/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel and the initrd of a guest for which none are named. */
#ifndef COHOST_DEFAULTS_H
#define COHOST_DEFAULTS_H

#include "verbs.h"

/*
 * Fills in the kernel: that which came with the program, or this system's own. Its initrd comes
 * with it; a kernel that was named has none unless that is named as well.
 */
void defaults_fill_in(struct request *request);

#endif

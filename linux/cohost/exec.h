/* SPDX-License-Identifier: BSD-2-Clause */
/* One command in a fresh guest. */
#ifndef COHOST_EXEC_H
#define COHOST_EXEC_H

#include "kernel.h"

/* What is added to the kernel command line. */
#define EXEC_ARGUMENTS "rdinit=/cohost/init"

/*
 * Returns an archive for the initrd, with a script that runs the command and then tells its exit
 * code to console.c. `words` end with NULL.
 */
struct content exec_archive(char *const *words);

#endif

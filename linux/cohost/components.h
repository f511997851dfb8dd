/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads an image of the component OS (docs/components.md) in place of a kernel. */
#ifndef COHOST_COMPONENTS_H
#define COHOST_COMPONENTS_H

#include "kernel.h"

/* The memory that it has if none is asked for. */
#define COMPONENTS_MEMORY (8ull << 20)

/*
 * Puts the image at the beginning of the guest's memory, which is in one piece, and the device tree
 * at its end. Ends the program with a sentence if the file is none.
 */
struct loaded components_load(const struct content *image);

#endif

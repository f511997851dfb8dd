/* SPDX-License-Identifier: BSD-2-Clause */
/* The RAM that a tree tells of: nodes of the root with device_type = "memory". */
#ifndef COTENANT_FEATURES_HANDED_TREE_RAM_H
#define COTENANT_FEATURES_HANDED_TREE_RAM_H

#include "features/handed_tree/fdt.h"

/* Is all of it in nodes that are in use, in one or side by side? The tree is open. */
bool ram_has(const struct fdt *tree, uint64_t base, uint64_t size);

#endif

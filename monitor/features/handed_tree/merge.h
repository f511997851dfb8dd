/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of a tenant, out of the one that the previous boot stage hands over and the tool's plan
 * for it. The plan is a device tree too (docs/abi/bundle.md): of the nodes that the tenant keeps,
 * with the properties that are to be as they stand there. These of its properties are for the merge
 * and reach no tenant:
 *
 *   plan,new     the node is the plan's, with all below it, whatever was handed over there
 *   plan,needed  a tree without this node is refused
 *   plan,name    what the node is called for the tenant
 *   plan,same    names of properties that must be handed over as they stand in the plan
 *   plan,drop    names of properties that the tenant does not get
 *
 * A node that is not in the plan is left out. All other properties are as they were handed over.
 */
#ifndef COTENANT_FEATURES_HANDED_TREE_MERGE_H
#define COTENANT_FEATURES_HANDED_TREE_MERGE_H

#include "features/handed_tree/fdt.h"

#define MERGE_TEXT_SIZE 96

/*
 * Writes the tree to the `room` bytes at `out`, zeros behind it, and returns NULL; or returns what
 * is wrong, in `text` where it names a node. The trees are open, and apart from `out`. The plan's
 * strings and those of the handed-over tree take FDT_MOST_SIZE at most together.
 */
const char *fdt_merge(const struct fdt *handed, const struct fdt *plan, uint8_t *out, uint32_t room,
                      char text[MERGE_TEXT_SIZE]);

#endif

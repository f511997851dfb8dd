/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the device tree that the previous boot stage hands over: opened, and asked for RAM.
 */
#include "features/handed_tree/fdt.h"
#include "features/handed_tree/ram.h"

#include "proof.h"

#define ROOM 4096

static uint8_t bytes[ROOM];
static struct fdt tree;

static void ask(uint32_t node)
{
    switch (any_up_to(3)) {
    case 0:
        fdt_child(&tree, node, "chosen");
        break;
    case 1:
        fdt_property(&tree, node, "reg");
        break;
    case 2:
        fdt_first(&tree, node);
        break;
    default:
        fdt_behind(&tree, node);
        break;
    }
}

int main(void)
{
    MAKE_ANY(bytes);
    if (any_bool()) {
        fdt_open(&tree, bytes, any_up_to(FDT_HEADER_SIZE - 1));
    }
    if (fdt_open(&tree, bytes, ROOM)) {
        ask(fdt_read(&tree, tree.structure).next);
        ram_has(&tree, any64(), any64());
    }
    return 0;
}

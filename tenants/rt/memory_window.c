/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/memory_window.h"

#include "rt/format.h"
#include "rt/platform.h"

#define PATH_SIZE 64
/* The doorbell's address in the node's reg property, behind the window. */
#define REG_DOORBELL 4

bool memory_window_find(struct memory_window *window, const char *name)
{
    char path[PATH_SIZE];
    struct fdt_node node;
    uint32_t high;
    uint32_t low;

    format_text(path, sizeof(path), "/channels/%s", name);
    if (!fdt_find(&platform.fdt, path, &node) ||
        !fdt_reg(&platform.fdt, &node, &window->base, &window->size) ||
        !fdt_cell(&platform.fdt, &node, "reg", REG_DOORBELL, &high) ||
        !fdt_cell(&platform.fdt, &node, "reg", REG_DOORBELL + 1, &low) ||
        !fdt_cell(&platform.fdt, &node, "cotenant,end", 0, &window->end)) {
        return false;
    }
    window->doorbell = (uint64_t)high << 32 | low;
    return true;
}

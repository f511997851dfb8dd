/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/handed_tree/ram.h"

#define WORD 4
#define MOST_CELLS 2

/* Of 32 bits each, most significant first. */
static uint64_t number(const uint8_t *cells, uint32_t count)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < WORD * count; i++) {
        value = value << 8 | cells[i];
    }
    return value;
}

/* A property of the root that says how many cells a number in `reg` has. */
static uint32_t cells(const struct fdt *tree, uint32_t root, const char *name, uint32_t otherwise)
{
    struct fdt_item item = fdt_property(tree, root, name);

    return item.token == FDT_PROPERTY && item.size == WORD ? (uint32_t)number(item.value, 1)
                                                           : otherwise;
}

static bool is_text(const struct fdt_item *item, const char *text)
{
    return item->size != 0 && item->value[item->size - 1] == '\0' &&
           fdt_same((const char *)item->value, text);
}

static bool is_memory(const struct fdt *tree, uint32_t node)
{
    struct fdt_item type = fdt_property(tree, node, "device_type");
    struct fdt_item status = fdt_property(tree, node, "status");

    return is_text(&type, "memory") &&
           (status.token != FDT_PROPERTY || is_text(&status, "okay") || is_text(&status, "ok"));
}

/* Returns where the range of a node's `reg` ends that `address` is in; `address`: in none. */
static uint64_t end_in(const struct fdt_item *reg, uint32_t address_cells, uint32_t size_cells,
                       uint64_t address)
{
    uint32_t step = WORD * (address_cells + size_cells);

    for (uint32_t at = 0; at + step <= reg->size; at += step) {
        uint64_t base = number(&reg->value[at], address_cells);
        uint64_t size = number(&reg->value[at + WORD * address_cells], size_cells);

        if (address >= base && address - base < size) {
            return size > UINT64_MAX - base ? UINT64_MAX : base + size;
        }
    }
    return address;
}

bool ram_has(const struct fdt *tree, uint64_t base, uint64_t size)
{
    uint32_t root = fdt_read(tree, tree->structure).next;
    uint32_t address_cells = cells(tree, root, "#address-cells", 2);
    uint32_t size_cells = cells(tree, root, "#size-cells", 1);
    uint64_t reached = base;
    uint64_t before;

    if (address_cells - 1 >= MOST_CELLS || size_cells - 1 >= MOST_CELLS) {
        return false;
    }
    do {
        struct fdt_item item = fdt_first(tree, root);

        before = reached;
        while (item.token == FDT_BEGIN) {
            if (is_memory(tree, item.next)) {
                struct fdt_item reg = fdt_property(tree, item.next, "reg");

                reached = end_in(&reg, address_cells, size_cells, reached);
            }
            item = fdt_read(tree, fdt_behind(tree, item.next));
        }
    } while (reached != before && reached - base < size);
    return reached - base >= size;
}

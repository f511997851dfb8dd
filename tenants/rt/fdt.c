/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/fdt.h"

#include <string.h>

/* Section 5.2 and 5.4.1 */
#define FDT_MAGIC 0xd00dfeed
#define FDT_HEADER_SIZE 40
#define FDT_VERSION_MIN 17
#define TOKEN_BEGIN_NODE 1
#define TOKEN_END_NODE 2
#define TOKEN_PROPERTY 3
#define TOKEN_NOP 4

#define SIZE_LIMIT 0x100000
#define DEPTH_LIMIT 16
/* Defaults where a parent says nothing (section 2.3.5). */
#define DEFAULT_ADDRESS_CELLS 2
#define DEFAULT_SIZE_CELLS 1

/* One thing in the structure block. */
struct item {
    uint32_t token;
    const char *name; /* of the node or property */
    const uint8_t *value;
    uint32_t length;
};

/* A walk through all nodes, with the cells that each open node declares for its children. */
struct walk {
    uint32_t offset;
    uint32_t depth; /* of the node last entered; the root's is 1 */
    uint32_t address_cells[DEPTH_LIMIT];
    uint32_t size_cells[DEPTH_LIMIT];
};

static uint32_t big_endian(const void *bytes)
{
    const uint8_t *byte = bytes;

    return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

bool fdt_open(struct fdt *fdt, const void *blob)
{
    const uint8_t *header = blob;
    uint32_t total;
    uint32_t structure;
    uint32_t strings;

    *fdt = (struct fdt){0};
    if (blob == NULL || ((uintptr_t)blob & 3) != 0 || big_endian(header) != FDT_MAGIC ||
        big_endian(header + 20) < FDT_VERSION_MIN) {
        return false;
    }
    total = big_endian(header + 4);
    structure = big_endian(header + 8);
    strings = big_endian(header + 12);
    if (total < FDT_HEADER_SIZE || total > SIZE_LIMIT || structure > total || strings > total ||
        big_endian(header + 36) > total - structure || big_endian(header + 32) > total - strings) {
        return false;
    }
    fdt->structure = header + structure;
    fdt->structure_size = big_endian(header + 36);
    fdt->strings = (const char *)header + strings;
    fdt->strings_size = big_endian(header + 32);
    return true;
}

/* Reads the property behind its token at *offset. */
static bool read_property(const struct fdt *fdt, uint32_t *offset, struct item *item)
{
    uint32_t name;

    if (fdt->structure_size - *offset < 8) {
        return false;
    }
    item->length = big_endian(fdt->structure + *offset);
    name = big_endian(fdt->structure + *offset + 4);
    *offset += 8;
    if (item->length > fdt->structure_size - *offset || name >= fdt->strings_size) {
        return false;
    }
    item->name = fdt->strings + name;
    if (memchr(item->name, '\0', fdt->strings_size - name) == NULL) {
        return false;
    }
    item->value = fdt->structure + *offset;
    *offset += (item->length + 3) & ~3u;
    return true;
}

/* Reads the item at *offset and moves on. False at the end or where the tree is damaged. */
static bool next_item(const struct fdt *fdt, uint32_t *offset, struct item *item)
{
    do {
        if (*offset > fdt->structure_size || fdt->structure_size - *offset < 4) {
            return false;
        }
        item->token = big_endian(fdt->structure + *offset);
        *offset += 4;
    } while (item->token == TOKEN_NOP);

    if (item->token == TOKEN_BEGIN_NODE) {
        item->name = (const char *)fdt->structure + *offset;
        if (memchr(item->name, '\0', fdt->structure_size - *offset) == NULL) {
            return false;
        }
        *offset += ((uint32_t)strlen(item->name) + 4) & ~3u;
        return true;
    }
    if (item->token == TOKEN_PROPERTY) {
        return read_property(fdt, offset, item);
    }
    return item->token == TOKEN_END_NODE;
}

const void *fdt_property(const struct fdt *fdt, const struct fdt_node *node, const char *name,
                         uint32_t *length)
{
    uint32_t offset = node->properties;
    struct item item;

    /* Properties come before child nodes (section 5.4.2). */
    while (next_item(fdt, &offset, &item) && item.token == TOKEN_PROPERTY) {
        if (strcmp(item.name, name) == 0) {
            *length = item.length;
            return item.value;
        }
    }
    return NULL;
}

bool fdt_cell(const struct fdt *fdt, const struct fdt_node *node, const char *name, uint32_t index,
              uint32_t *value)
{
    uint32_t length;
    const uint8_t *cells = fdt_property(fdt, node, name, &length);

    if (cells == NULL || index >= length / 4) {
        return false;
    }
    *value = big_endian(cells + (size_t)index * 4);
    return true;
}

const char *fdt_text(const struct fdt *fdt, const struct fdt_node *node, const char *name)
{
    uint32_t length;
    const char *text = fdt_property(fdt, node, name, &length);

    return text != NULL && length > 0 && text[length - 1] == '\0' ? text : NULL;
}

static bool read_cells(const struct fdt *fdt, const struct fdt_node *node, uint32_t first,
                       uint32_t count, uint64_t *value)
{
    uint32_t cell;

    *value = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!fdt_cell(fdt, node, "reg", first + i, &cell)) {
            return false;
        }
        *value = *value << 32 | cell;
    }
    return true;
}

bool fdt_reg(const struct fdt *fdt, const struct fdt_node *node, uint64_t *base, uint64_t *size)
{
    return node->address_cells <= 2 && node->size_cells <= 2 &&
           read_cells(fdt, node, 0, node->address_cells, base) &&
           read_cells(fdt, node, node->address_cells, node->size_cells, size);
}

/* Goes to the next node; walk->depth tells where it is. */
static bool next_node(const struct fdt *fdt, struct walk *walk, struct fdt_node *node,
                      const char **name)
{
    struct item item;
    uint32_t depth;

    for (;;) {
        if (!next_item(fdt, &walk->offset, &item)) {
            return false;
        }
        if (item.token == TOKEN_END_NODE && walk->depth > 0) {
            walk->depth--;
        }
        if (item.token == TOKEN_BEGIN_NODE) {
            break;
        }
    }
    depth = walk->depth++;
    if (walk->depth >= DEPTH_LIMIT) {
        return false;
    }
    node->properties = walk->offset;
    node->address_cells = depth > 0 ? walk->address_cells[depth] : 0;
    node->size_cells = depth > 0 ? walk->size_cells[depth] : 0;
    if (!fdt_cell(fdt, node, "#address-cells", 0, &walk->address_cells[walk->depth])) {
        walk->address_cells[walk->depth] = DEFAULT_ADDRESS_CELLS;
    }
    if (!fdt_cell(fdt, node, "#size-cells", 0, &walk->size_cells[walk->depth])) {
        walk->size_cells[walk->depth] = DEFAULT_SIZE_CELLS;
    }
    *name = item.name;
    return true;
}

/* Whether the first part of `path` names the node; *length is that part's length. */
static bool part_matches(const char *path, const char *name, size_t *length)
{
    size_t part = 0;

    while (path[part] != '\0' && path[part] != '/') {
        part++;
    }
    *length = part;
    return strncmp(path, name, part) == 0 && (name[part] == '\0' || name[part] == '@');
}

bool fdt_find(const struct fdt *fdt, const char *path, struct fdt_node *node)
{
    struct walk walk = {0};
    const char *name;
    const char *rest = path[0] == '/' ? path + 1 : path;
    uint32_t matched = 1; /* depth of the node found so far: the root */
    size_t length;

    if (!next_node(fdt, &walk, node, &name)) {
        return false;
    }
    while (*rest != '\0') {
        if (!next_node(fdt, &walk, node, &name) || walk.depth <= matched) {
            return false;
        }
        if (walk.depth == matched + 1 && part_matches(rest, name, &length)) {
            matched++;
            rest += length;
            rest += *rest == '/';
        }
    }
    return true;
}

/* Whether the compatible property of a node lists `compatible`. */
static bool is_compatible(const struct fdt *fdt, const struct fdt_node *node,
                          const char *compatible)
{
    uint32_t length;
    const char *list = fdt_property(fdt, node, "compatible", &length);

    while (list != NULL && length > 0) {
        const char *entry_end = memchr(list, '\0', length);

        if (entry_end == NULL) {
            return false;
        }
        if (strcmp(list, compatible) == 0) {
            return true;
        }
        length -= (uint32_t)(entry_end + 1 - list);
        list = entry_end + 1;
    }
    return false;
}

bool fdt_find_nth_compatible(const struct fdt *fdt, const char *compatible, uint32_t index,
                             struct fdt_node *node)
{
    struct walk walk = {0};
    const char *name;

    while (next_node(fdt, &walk, node, &name)) {
        if (is_compatible(fdt, node, compatible) && index-- == 0) {
            return true;
        }
    }
    return false;
}

bool fdt_find_compatible(const struct fdt *fdt, const char *compatible, struct fdt_node *node)
{
    return fdt_find_nth_compatible(fdt, compatible, 0, node);
}

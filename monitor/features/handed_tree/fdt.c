/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/handed_tree/fdt.h"

#include <stddef.h>

#define WORD 4
/* Bytes of a memory reservation: an address and a size. */
#define RESERVATION 16

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t header_word(const struct fdt *tree, enum fdt_header which)
{
    return word_at(&tree->bytes[WORD * which]);
}

/* To the next word; `size` is FDT_MOST_SIZE at most. */
static uint32_t padded(uint32_t size)
{
    return (size + WORD - 1) & ~(uint32_t)(WORD - 1);
}

bool fdt_same(const char *left, const char *right)
{
    while (*left != '\0' && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

static void read_name(const struct fdt *tree, uint32_t at, struct fdt_item *item)
{
    uint32_t end = at;

    while (end < tree->structure_end && tree->bytes[end] != '\0') {
        end++;
    }
    if (end == tree->structure_end) {
        item->token = FDT_NONE;
        return;
    }
    item->name = (const char *)&tree->bytes[at];
    item->next = padded(end + 1);
}

static void read_property(const struct fdt *tree, uint32_t at, struct fdt_item *item)
{
    uint32_t value = at + 2 * WORD;
    uint32_t name;

    item->token = FDT_NONE;
    if (value > tree->structure_end) {
        return;
    }
    item->size = word_at(&tree->bytes[at]);
    item->name_offset = word_at(&tree->bytes[at + WORD]);
    name = tree->strings + item->name_offset;
    if (item->size > tree->structure_end - value || name < tree->strings ||
        name >= tree->strings_end) {
        return;
    }
    item->token = FDT_PROPERTY;
    item->name = (const char *)&tree->bytes[name];
    item->value = &tree->bytes[value];
    item->next = value + padded(item->size);
}

struct fdt_item fdt_read(const struct fdt *tree, uint32_t at)
{
    struct fdt_item item = {FDT_NONE, at, NULL, 0, NULL, 0};
    uint32_t token = FDT_NOTHING;

    while (token == FDT_NOTHING) {
        if (item.next > tree->structure_end - WORD) {
            return item;
        }
        token = word_at(&tree->bytes[item.next]);
        item.next += WORD;
    }
    if (token == FDT_BEGIN) {
        item.token = FDT_BEGIN;
        read_name(tree, item.next, &item);
    } else if (token == FDT_PROPERTY) {
        read_property(tree, item.next, &item);
    } else if (token == FDT_END || token == FDT_LAST) {
        item.token = (enum fdt_token)token;
    }
    return item;
}

/* From the first node to the end of the tree. */
static bool is_well_formed(const struct fdt *tree)
{
    struct fdt_item item = fdt_read(tree, tree->structure);
    bool may_have_properties = false;
    uint32_t depth = 0;

    if (item.token != FDT_BEGIN) {
        return false;
    }
    while (item.token != FDT_LAST) {
        if (item.token == FDT_BEGIN && depth < FDT_MOST_DEPTH) {
            depth++;
            may_have_properties = true;
        } else if (item.token == FDT_END) {
            depth--;
            may_have_properties = false;
        } else if (item.token != FDT_PROPERTY || !may_have_properties) {
            return false;
        }
        item = fdt_read(tree, item.next);
        if (depth == 0) {
            return item.token == FDT_LAST;
        }
    }
    return false;
}

/* A block is in the tree, and behind its header. One that goes round the end of the numbers is not.
 */
static bool is_inside(const struct fdt *tree, uint32_t first, uint32_t end)
{
    return first >= FDT_HEADER_SIZE && first <= end && end <= tree->size;
}

/* The tree is not smaller than its header: other blocks have been found inside. */
static bool find_reservations(struct fdt *tree)
{
    uint32_t at = tree->reservations;
    uint8_t any = 1;

    while (any != 0) {
        if (at < FDT_HEADER_SIZE || at > tree->size - RESERVATION) {
            return false;
        }
        any = 0;
        for (uint32_t i = 0; i < RESERVATION; i++) {
            any |= tree->bytes[at++];
        }
    }
    tree->reservations_size = at - tree->reservations;
    return true;
}

bool fdt_open(struct fdt *tree, const uint8_t *bytes, uint64_t room)
{
    tree->bytes = bytes;
    if (room < FDT_HEADER_SIZE || header_word(tree, FDT_HEADER_MAGIC) != FDT_MAGIC ||
        header_word(tree, FDT_HEADER_VERSION) < FDT_VERSION ||
        header_word(tree, FDT_HEADER_OLDEST_VERSION) > FDT_VERSION) {
        return false;
    }
    tree->size = header_word(tree, FDT_HEADER_SIZE_OF_ALL);
    tree->structure = header_word(tree, FDT_HEADER_STRUCTURE);
    tree->strings = header_word(tree, FDT_HEADER_STRINGS);
    tree->strings_size = header_word(tree, FDT_HEADER_STRINGS_SIZE);
    tree->reservations = header_word(tree, FDT_HEADER_RESERVATIONS);
    tree->structure_end = tree->structure + header_word(tree, FDT_HEADER_STRUCTURE_SIZE);
    tree->strings_end = tree->strings + tree->strings_size;
    if (tree->size > room || tree->size > FDT_MOST_SIZE ||
        !is_inside(tree, tree->structure, tree->structure_end) ||
        !is_inside(tree, tree->strings, tree->strings_end) ||
        (tree->structure | tree->structure_end) % WORD != 0 || !find_reservations(tree)) {
        return false;
    }
    return (tree->strings_size == 0 || bytes[tree->strings_end - 1] == '\0') &&
           is_well_formed(tree);
}

struct fdt_item fdt_property(const struct fdt *tree, uint32_t node, const char *name)
{
    struct fdt_item item = fdt_read(tree, node);

    while (item.token == FDT_PROPERTY && !fdt_same(item.name, name)) {
        item = fdt_read(tree, item.next);
    }
    if (item.token != FDT_PROPERTY) {
        item.token = FDT_NONE;
        item.size = 0;
    }
    return item;
}

struct fdt_item fdt_first(const struct fdt *tree, uint32_t node)
{
    struct fdt_item item = fdt_read(tree, node);

    while (item.token == FDT_PROPERTY) {
        item = fdt_read(tree, item.next);
    }
    return item;
}

uint32_t fdt_behind(const struct fdt *tree, uint32_t node)
{
    uint32_t depth = 1;

    while (depth != 0) {
        struct fdt_item item = fdt_read(tree, node);

        depth += item.token == FDT_BEGIN;
        depth -= item.token == FDT_END;
        node = item.next;
    }
    return node;
}

struct fdt_item fdt_child(const struct fdt *tree, uint32_t node, const char *name)
{
    struct fdt_item item = fdt_first(tree, node);

    while (item.token == FDT_BEGIN && !fdt_same(item.name, name)) {
        item = fdt_read(tree, fdt_behind(tree, item.next));
    }
    if (item.token != FDT_BEGIN) {
        item.token = FDT_NONE;
    }
    return item;
}

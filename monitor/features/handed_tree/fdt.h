/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a flattened device tree (Devicetree Specification 0.4, chapter 5) that may be anything.
 * fdt_open() walks through all of it once; what it finds good the other functions rely on.
 */
#ifndef COTENANT_FEATURES_HANDED_TREE_FDT_H
#define COTENANT_FEATURES_HANDED_TREE_FDT_H

#include <stdbool.h>
#include <stdint.h>

#define FDT_MAGIC 0xd00dfeed
#define FDT_VERSION 17
#define FDT_OLDEST_VERSION 16
#define FDT_HEADER_SIZE 40
/* Bytes of a tree, of which most may be unused, and levels of its nodes, at most. */
#define FDT_MOST_SIZE 0x200000
#define FDT_MOST_DEPTH 16

/* The words of the header, in their order. */
enum fdt_header {
    FDT_HEADER_MAGIC,
    FDT_HEADER_SIZE_OF_ALL,
    FDT_HEADER_STRUCTURE,
    FDT_HEADER_STRINGS,
    FDT_HEADER_RESERVATIONS,
    FDT_HEADER_VERSION,
    FDT_HEADER_OLDEST_VERSION,
    FDT_HEADER_BOOT_HART,
    FDT_HEADER_STRINGS_SIZE,
    FDT_HEADER_STRUCTURE_SIZE,
};

enum fdt_token {
    FDT_NONE = 0, /* what is there is no item */
    FDT_BEGIN = 1,
    FDT_END = 2,
    FDT_PROPERTY = 3,
    FDT_NOTHING = 4,
    FDT_LAST = 9,
};

/* Offsets are from `bytes`. */
struct fdt {
    const uint8_t *bytes;
    uint32_t size;
    uint32_t structure;
    uint32_t structure_end;
    uint32_t strings;
    uint32_t strings_size;
    uint32_t strings_end;
    uint32_t reservations;
    uint32_t reservations_size; /* with the pair of zeros that ends them */
};

struct fdt_item {
    enum fdt_token token;
    uint32_t next;        /* offset of the item behind it */
    const char *name;     /* of a node or property */
    uint32_t name_offset; /* of a property: in the block of strings */
    const uint8_t *value; /* of a property */
    uint32_t size;        /* bytes of the value */
};

/*
 * Is there a tree in the `room` bytes at `bytes`? Its blocks lie inside of it, its strings end, its
 * nodes nest, and the properties of a node come before the nodes below.
 */
bool fdt_open(struct fdt *tree, const uint8_t *bytes, uint64_t room);

/* The item at an offset; FDT_NONE if there is none, which fdt_open() finds nowhere. */
struct fdt_item fdt_read(const struct fdt *tree, uint32_t at);

/* `node`: the offset behind the item that begins a node. The token is FDT_NONE if it has no such.
 */
struct fdt_item fdt_property(const struct fdt *tree, uint32_t node, const char *name);

/* The item that begins the node below `node` with this name; its token is FDT_NONE: there is none.
 */
struct fdt_item fdt_child(const struct fdt *tree, uint32_t node, const char *name);

/* The item that begins the first node below `node`, or ends it. */
struct fdt_item fdt_first(const struct fdt *tree, uint32_t node);

/* The offset behind the end of `node`. */
uint32_t fdt_behind(const struct fdt *tree, uint32_t node);

bool fdt_same(const char *left, const char *right);

#endif

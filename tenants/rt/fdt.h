/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of a flattened device tree (Devicetree specification 0.4, chapter 5). It trusts nothing:
 * every step is checked against the size in the header, which itself is limited. No state, no
 * allocation; any context.
 */
#ifndef COTENANT_RT_FDT_H
#define COTENANT_RT_FDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fdt {
    const uint8_t *structure;
    const char *strings;
    uint32_t structure_size;
    uint32_t strings_size;
};

/* A node, as found by one of the functions below. */
struct fdt_node {
    uint32_t properties; /* offset of the first thing inside the node */
    /* Cells of addresses and sizes in its reg property: those that its parent declares. */
    uint32_t address_cells;
    uint32_t size_cells;
};

/* Opens the tree at `blob`. False if that is none or it is damaged; then *fdt finds nothing. */
bool fdt_open(struct fdt *fdt, const void *blob);

/*
 * Finds a node by path, for example "/cpus/cpu@0". A part without a unit address ("/soc/serial")
 * means the first node of that name, whatever its address.
 */
bool fdt_find(const struct fdt *fdt, const char *path, struct fdt_node *node);

/* Finds the first node whose compatible property lists `compatible`. */
bool fdt_find_compatible(const struct fdt *fdt, const char *compatible, struct fdt_node *node);

/* The same for node number `index`, from 0, in the order of the tree. */
bool fdt_find_nth_compatible(const struct fdt *fdt, const char *compatible, uint32_t index,
                             struct fdt_node *node);

/* The value of a property, NULL if there is none; *length in bytes. */
const void *fdt_property(const struct fdt *fdt, const struct fdt_node *node, const char *name,
                         uint32_t *length);

/* Cell `index` (32 bits) of a property. */
bool fdt_cell(const struct fdt *fdt, const struct fdt_node *node, const char *name, uint32_t index,
              uint32_t *value);

/* A text property, NULL if there is none or it does not end with a zero byte. */
const char *fdt_text(const struct fdt *fdt, const struct fdt_node *node, const char *name);

/* The first address and size of the node's reg property. */
bool fdt_reg(const struct fdt *fdt, const struct fdt_node *node, uint64_t *base, uint64_t *size);

#endif

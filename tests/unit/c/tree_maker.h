/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes flattened device trees for tests, node by node, without a look at what is made. */
#ifndef COTENANT_TESTS_TREE_MAKER_H
#define COTENANT_TESTS_TREE_MAKER_H

#include <stdint.h>

#define TREE_MOST 2048

struct tree_maker {
    uint8_t structure[TREE_MOST];
    uint32_t structure_size;
    uint8_t strings[TREE_MOST];
    uint32_t strings_size;
};

void tree_word(struct tree_maker *maker, uint32_t word);
void tree_begin(struct tree_maker *maker, const char *name);
void tree_property(struct tree_maker *maker, const char *name, const void *value, uint32_t size);
void tree_text(struct tree_maker *maker, const char *name, const char *value);
void tree_end(struct tree_maker *maker);

/* Ends the tree and returns it in a block of its own, of exactly its size. */
uint8_t *tree_finish(struct tree_maker *maker, uint32_t *size);

/* A word of a blob, by its number. */
uint32_t tree_get(const uint8_t *blob, uint32_t number);
void tree_set(uint8_t *blob, uint32_t number, uint32_t value);

/* A machine's tree, and a plan for it that uses all that a plan can say. */
uint8_t *tree_of_machine(uint32_t *size);
uint8_t *tree_of_plan(uint32_t *size);

#endif

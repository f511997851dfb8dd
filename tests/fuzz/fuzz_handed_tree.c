/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device tree that is handed over, with some of its words and bytes changed, and so the plan for
 * it: each is in a block of its own size, so that a step beyond it is noticed. What is accepted
 * makes a tree again, whatever room there is for it.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "features/handed_tree/merge.h"
#include "features/handed_tree/ram.h"
#include "fuzz.h"
#include "tree_maker.h"

#define ROOM 2048

static void change(uint8_t *blob, uint32_t size, struct fuzz_input *input)
{
    uint32_t number = fuzz_byte(input) % 4 == 0 ? fuzz_byte(input) % (FDT_HEADER_SIZE / 4)
                                                : fuzz_word(input) % (size / 4);
    uint32_t old = tree_get(blob, number);

    switch (fuzz_byte(input) % 6) {
    case 0:
        tree_set(blob, number, fuzz_byte(input) % 10);
        break;
    case 1:
        tree_set(blob, number, old + 4);
        break;
    case 2:
        tree_set(blob, number, old - 4);
        break;
    case 3:
        tree_set(blob, number, tree_get(blob, fuzz_word(input) % (size / 4)));
        break;
    case 4:
        tree_set(blob, number, fuzz_word(input));
        break;
    default:
        blob[fuzz_word(input) % size] = fuzz_byte(input);
    }
}

static void try(struct fuzz_input *input)
{
    uint32_t sizes[2];
    uint8_t *blobs[2] = {tree_of_machine(&sizes[0]), tree_of_plan(&sizes[1])};
    uint32_t room = fuzz_byte(input) % 2 == 0 ? ROOM : fuzz_word(input) % ROOM;
    uint8_t *out = malloc(room == 0 ? 1 : room);
    char text[MERGE_TEXT_SIZE];
    struct fdt trees[2];
    struct fdt made;

    assert(out != NULL);
    for (unsigned i = fuzz_byte(input) % 4; i > 0; i--) {
        unsigned which = fuzz_byte(input) % 4 == 0;

        change(blobs[which], sizes[which], input);
    }
    if (fdt_open(&trees[0], blobs[0], sizes[0])) {
        (void)ram_has(&trees[0], fuzz_word(input), fuzz_word(input));
    }
    if (fdt_open(&trees[0], blobs[0], sizes[0]) && fdt_open(&trees[1], blobs[1], sizes[1]) &&
        fdt_merge(&trees[0], &trees[1], out, room, text) == NULL) {
        assert(fdt_open(&made, out, room));
    }
    free(out);
    free(blobs[0]);
    free(blobs[1]);
}

int fuzz_handed_tree(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};

    while (input.size > 0) {
        try(&input);
    }
    return 0;
}

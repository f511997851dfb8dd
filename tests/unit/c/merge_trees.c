/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge_trees HANDED PLAN OUT: does to files what the monitor does at boot to a device tree that is
 * handed over. The program of tests/harness/handed_tree.py.
 */
#include <stdio.h>
#include <stdlib.h>

#include "features/handed_tree/merge.h"

static bool open_file(const char *name, struct fdt *tree)
{
    static uint8_t bytes[FDT_MOST_SIZE];
    FILE *file = fopen(name, "rb");
    size_t size = file == NULL ? 0 : fread(bytes, 1, sizeof(bytes), file);
    uint8_t *copy = malloc(size + 1);

    if (file == NULL || copy == NULL || fclose(file) != 0) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        copy[i] = bytes[i];
    }
    return fdt_open(tree, copy, size);
}

int main(int count, char **arguments)
{
    static uint8_t out[FDT_MOST_SIZE];
    char text[MERGE_TEXT_SIZE];
    const char *problem;
    struct fdt made;
    struct fdt trees[2];
    FILE *file;

    if (count != 4 || !open_file(arguments[1], &trees[0]) || !open_file(arguments[2], &trees[1])) {
        fprintf(stderr, "no device tree\n");
        return 2;
    }
    problem = fdt_merge(&trees[0], &trees[1], out, sizeof(out), text);
    if (problem != NULL || !fdt_open(&made, out, sizeof(out))) {
        fprintf(stderr, "%s\n", problem == NULL ? "what was made is no device tree" : problem);
        return 1;
    }
    file = fopen(arguments[3], "wb");
    if (file == NULL || fwrite(out, 1, made.size, file) != made.size || fclose(file) != 0) {
        return 2;
    }
    free((void *)trees[0].bytes);
    free((void *)trees[1].bytes);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "archive.h"
#include "components/lib/network.h"
#include "generated.h"

#define NAME_SIZE 32
#define NO_FILE (~0ull)

/* One for each thread, so that threads need no lock here. */
static BUFFER uint8_t pieces[THREADS][PIECE_SIZE];

static const struct archive_file *file_of(uint64_t number)
{
    return number < (uint64_t)(archive_end - archive_files) ? &archive_files[number] : NULL;
}

/* The number of the file of that name; NO_FILE: there is none. */
uint64_t export_find(uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3)
{
    const uint64_t words[] = {word0, word1, word2, word3};
    char name[NAME_SIZE + 1] = {0};

    memcpy(name, words, sizeof(words));
    for (uint64_t number = 0; file_of(number) != NULL; number++) {
        if (strcmp(name, file_of(number)->name) == 0) {
            return number;
        }
    }
    return NO_FILE;
}

/* Its bytes; 0 also if there is no such file. */
uint64_t export_size(uint64_t file)
{
    return file_of(file) != NULL ? file_of(file)->size : 0;
}

/* Up to `length` bytes from `offset` on go to `address`, which the caller lends: how many. */
uint64_t export_read(uint64_t file, uint64_t offset, uint64_t address, uint64_t length)
{
    const struct archive_file *found = file_of(file);
    uint8_t *piece = pieces[thread_self()];

    if (found == NULL || offset >= found->size) {
        return 0;
    }
    length = length < PIECE_SIZE ? length : PIECE_SIZE;
    length = length < found->size - offset ? length : found->size - offset;
    memcpy(piece, found->bytes + offset, length);
    return length != 0 && copy_to_lent(address, piece, length) ? length : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each thread has a line of its own, so that threads need no lock here; the kernel prints up to
 * PRINT_BYTES at a time, and a line that is longer may be cut in two by one of a thread of a higher
 * priority.
 */
#include <string.h>

#include "generated.h"

#define LINE 240

static struct {
    char text[LINE];
    uint64_t length;
} lines[THREADS];

/* The kernel does not wait until there is room: that is done here, in the time of who prints. */
static void flush(uint64_t thread)
{
    for (uint64_t done = 0; done < lines[thread].length;) {
        uint64_t words[PRINT_BYTES / 8] = {0};
        uint64_t left = lines[thread].length - done;
        uint64_t length = left < PRINT_BYTES ? left : PRINT_BYTES;

        memcpy(words, lines[thread].text + done, length);
        done +=
            component_ecall(CALL_PRINT, length, words[0], words[1], words[2], words[3], words[4])
                .word[1];
    }
    lines[thread].length = 0;
}

uint64_t export_write(uint64_t length, uint64_t word0, uint64_t word1, uint64_t word2,
                      uint64_t word3, uint64_t word4)
{
    const uint64_t words[] = {word0, word1, word2, word3, word4};
    uint64_t thread = thread_self();

    if (length > sizeof(words)) {
        return 0;
    }
    if (lines[thread].length + length > LINE) {
        flush(thread);
    }
    memcpy(lines[thread].text + lines[thread].length, words, length);
    lines[thread].length += length;
    if (memchr(words, '\n', length) != NULL) {
        flush(thread);
    }
    return length;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory at the end of a file, packed: zeros as numbers, and what is left of it in blocks that zstd
 * compresses. docs/control.md has the format. No call ends the program: what went wrong first is in
 * `error`, and from then on nothing is done.
 *
 * Whatever is put in or got out is a multiple of 8 bytes, at an address that is one.
 */
#ifndef PACKED_H
#define PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

#define PACKED_MOST_RUNS 4096
#define PACKED_MOST_BYTES (256u * 1024)

/* In the file, little endian: so many zeros, and behind them so many bytes of the block. */
struct packed_run {
    uint32_t zeros;
    uint32_t bytes;
};

/*
 * What a block begins with. Behind it: its runs, then its bytes, padded with zeros to a multiple of
 * 8. The last one has nothing.
 */
struct packed_block {
    uint32_t runs;
    uint32_t bytes;    /* of all runs together */
    uint32_t stored;   /* so many in the file: all of them as they are, or a zstd frame of fewer */
    uint32_t reserved; /* 0 */
    uint64_t checksum; /* packed_checksum() of that of the block before, of this and of the rest */
};

struct packed {
    int file;
    const char *error; /* NULL: all is well */
    struct ZSTD_CCtx_s *compressor;
    struct ZSTD_DCtx_s *decompressor;
    uint64_t checksum; /* of the block before */
    /* Reading: the place in the block. `run` has what is left of that run. */
    uint32_t next_run;
    uint32_t next_byte;
    struct packed_run run;
    bool ended;
    /* The block. */
    struct packed_block block;
    struct packed_run runs[PACKED_MOST_RUNS];
    uint64_t bytes[PACKED_MOST_BYTES / sizeof(uint64_t)];
    uint64_t stored[PACKED_MOST_BYTES / sizeof(uint64_t)];
};

/*
 * Goes on with a checksum by words of 8 bytes. Whatever becomes of one word, the result is another
 * one.
 */
uint64_t packed_checksum(uint64_t checksum, const void *bytes, size_t length);

/* Writing: from where the file is. */
void packed_begin(struct packed *packed, int file);
void packed_put(struct packed *packed, const void *bytes, uint64_t length);
void packed_put_zeros(struct packed *packed, uint64_t length);
void packed_end(struct packed *packed);

/* Reading, from where the file is. */
void packed_open(struct packed *packed, int file);

/*
 * Reads on to the end: there are `size` bytes, nothing is behind them, and the checksums are right.
 * `progress` may be NULL, and is told how much is done.
 */
void packed_check(struct packed *packed, uint64_t size, void (*progress)(uint64_t done));

/* So many zeros come next, at least. */
uint64_t packed_zeros(struct packed *packed);

/* Goes past so many of them. */
void packed_skip_zeros(struct packed *packed, uint64_t length);

/* Gives exactly `length` bytes, zeros among them; without an error, all of them. */
void packed_get(struct packed *packed, void *bytes, uint64_t length);

/* Frees what reading took; the file stays open. */
void packed_close(struct packed *packed);

#endif

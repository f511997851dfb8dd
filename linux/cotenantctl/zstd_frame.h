/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One zstd frame (RFC 8878) with a checksum, at the end of a file. No call ends the program: what
 * went wrong first is in `error`, and from then on nothing is done.
 */
#ifndef ZSTD_FRAME_H
#define ZSTD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

struct zstd_frame {
    int file;
    const char *error; /* NULL: all is well */
    struct ZSTD_CCtx_s *compressor;
    struct ZSTD_DCtx_s *decompressor;
    size_t first, count; /* of the bytes that were read: those that wait */
    bool ended;
    uint8_t block[128 * 1024];
};

/* Writing: `size` bytes altogether, then the end. */
void zstd_frame_begin(struct zstd_frame *frame, int file, uint64_t size);
void zstd_frame_put(struct zstd_frame *frame, const void *bytes, size_t length);
void zstd_frame_end(struct zstd_frame *frame);

/* Reading, from where the file is. */
void zstd_frame_open(struct zstd_frame *frame, int file);

/* Gives up to `length` bytes; fewer at the frame's end, and after an error. */
size_t zstd_frame_get(struct zstd_frame *frame, void *bytes, size_t length);

/*
 * Reads all of the frame, which holds `size` bytes and has nothing behind it. `progress` may be
 * NULL, and is told how much is done.
 */
void zstd_frame_check(struct zstd_frame *frame, uint64_t size, void (*progress)(uint64_t done));

/* Frees what reading took; the file stays open. */
void zstd_frame_close(struct zstd_frame *frame);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "zstd_frame.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/*
 * Two thirds of the instructions of level 1, for files that are two fifths larger: memory is on its
 * way to a disk, which takes such bytes in less time than a core needs to squeeze them.
 */
#define LEVEL (-10)

static void set_error(struct zstd_frame *frame, const char *error)
{
    if (frame->error == NULL) {
        frame->error = error;
    }
}

static void start(struct zstd_frame *frame, int file)
{
    memset(frame, 0, sizeof(*frame) - sizeof(frame->block));
    frame->file = file;
}

/* Writing */

void zstd_frame_begin(struct zstd_frame *frame, int file, uint64_t size)
{
    start(frame, file);
    frame->compressor = ZSTD_createCCtx();
    if (frame->compressor == NULL) {
        set_error(frame, "no memory");
        return;
    }
    ZSTD_CCtx_setParameter(frame->compressor, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(frame->compressor, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(frame->compressor, size);
}

static void write_block(struct zstd_frame *frame, size_t length)
{
    for (size_t done = 0; done < length && frame->error == NULL;) {
        ssize_t count = write(frame->file, frame->block + done, length - done);

        if (count < 0 && errno != EINTR) {
            set_error(frame, strerror(errno));
        }
        done += count > 0 ? (size_t)count : 0;
    }
}

static void compress(struct zstd_frame *frame, const void *bytes, size_t length,
                     ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left = 0;

    while (frame->error == NULL) {
        ZSTD_outBuffer out = {frame->block, sizeof(frame->block), 0};

        left = ZSTD_compressStream2(frame->compressor, &out, &in, directive);
        if (ZSTD_isError(left)) {
            set_error(frame, ZSTD_getErrorName(left));
            return;
        }
        write_block(frame, out.pos);
        if (in.pos == in.size && (directive != ZSTD_e_end || left == 0)) {
            return;
        }
    }
}

void zstd_frame_put(struct zstd_frame *frame, const void *bytes, size_t length)
{
    compress(frame, bytes, length, ZSTD_e_continue);
}

void zstd_frame_end(struct zstd_frame *frame)
{
    compress(frame, NULL, 0, ZSTD_e_end);
    ZSTD_freeCCtx(frame->compressor);
    frame->compressor = NULL;
}

/* Reading */

void zstd_frame_open(struct zstd_frame *frame, int file)
{
    start(frame, file);
    frame->decompressor = ZSTD_createDCtx();
    if (frame->decompressor == NULL) {
        set_error(frame, "no memory");
    }
}

void zstd_frame_close(struct zstd_frame *frame)
{
    ZSTD_freeDCtx(frame->decompressor);
    frame->decompressor = NULL;
}

/* Fills the block anew; nothing is in it at the end of the file, and after an error. */
static void read_block(struct zstd_frame *frame)
{
    ssize_t count;

    do {
        count = read(frame->file, frame->block, sizeof(frame->block));
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        set_error(frame, strerror(errno));
    }
    frame->first = 0;
    frame->count = count > 0 ? (size_t)count : 0;
}

size_t zstd_frame_get(struct zstd_frame *frame, void *bytes, size_t length)
{
    ZSTD_outBuffer out = {bytes, length, 0};

    while (!frame->ended && frame->error == NULL && out.pos < length) {
        size_t before = out.pos, left;
        ZSTD_inBuffer in;

        if (frame->count == 0) {
            read_block(frame);
        }
        in = (ZSTD_inBuffer){frame->block + frame->first, frame->count, 0};
        left = ZSTD_decompressStream(frame->decompressor, &out, &in);
        frame->first += in.pos;
        frame->count -= in.pos;
        frame->ended = left == 0;
        if (ZSTD_isError(left)) {
            set_error(frame, ZSTD_getErrorName(left));
        } else if (!frame->ended && in.size == 0 && out.pos == before) {
            set_error(frame, "it ends too early");
        }
    }
    return out.pos;
}

void zstd_frame_check(struct zstd_frame *frame, uint64_t size, void (*progress)(uint64_t done))
{
    static uint8_t bytes[128 * 1024];
    uint64_t total = 0;
    size_t count;

    do {
        count = zstd_frame_get(frame, bytes, sizeof(bytes));
        total += count;
        if (progress != NULL) {
            progress(total < size ? total : size);
        }
    } while (count != 0 && total <= size);
    /* A frame of just the right length is not at its end before it has been asked for more. */
    if (total == size && !frame->ended) {
        zstd_frame_get(frame, bytes, 1);
    }
    if (total != size || !frame->ended) {
        set_error(frame, "its length is wrong");
    }
    if (frame->count == 0) {
        read_block(frame);
    }
    if (frame->count != 0) {
        set_error(frame, "something follows its end");
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Behind zstd_frame.c, for the entries of proofs: the library, of which nothing is known. */
#ifndef COTENANT_TESTS_PROOFS_ANY_FRAME_H
#define COTENANT_TESTS_PROOFS_ANY_FRAME_H

#include <zstd.h>

#include "proof.h"

static struct ZSTD_DCtx_s {
    int unused;
} any_context;

/* The library: any number of the bytes that there are, and any bytes for them. */
size_t ZSTD_decompressStream(struct ZSTD_DCtx_s *with, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    size_t taken = Frama_C_unsigned_long_interval(0, in->size - in->pos);
    size_t given = Frama_C_unsigned_long_interval(0, out->size - out->pos);

    with->unused = 0;
    //@ assert \valid_read((const uint8_t *)in->src + (0 .. in->size - 1));
    //@ assert \valid((uint8_t *)out->dst + (0 .. out->size - 1));
    if (out->size != 0) {
        Frama_C_make_unknown(out->dst, out->size);
    }
    in->pos += taken;
    out->pos += given;
    return any64();
}

unsigned ZSTD_isError(size_t code)
{
    (void)code;
    return any_bool();
}

const char *ZSTD_getErrorName(size_t code)
{
    (void)code;
    return "no";
}

struct ZSTD_DCtx_s *ZSTD_createDCtx(void)
{
    return any_bool() ? NULL : &any_context;
}

size_t ZSTD_freeDCtx(struct ZSTD_DCtx_s *of)
{
    (void)of;
    return 0;
}

#endif

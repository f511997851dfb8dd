/* SPDX-License-Identifier: BSD-2-Clause */
/* Behind packed.c, for the entries of proofs: the library, of which nothing is known. */
#ifndef COTENANT_TESTS_PROOFS_ANY_FRAME_H
#define COTENANT_TESTS_PROOFS_ANY_FRAME_H

#include <zstd.h>

#include "proof.h"

static struct ZSTD_DCtx_s {
    int unused;
} any_context;

/* The library: any number of bytes that there is room for, and any bytes for them. */
size_t ZSTD_decompressDCtx(struct ZSTD_DCtx_s *with, void *to, size_t room, const void *from,
                           size_t size)
{
    with->unused = 0;
    //@ assert \valid_read((const uint8_t *)from + (0 .. size - 1));
    //@ assert \valid((uint8_t *)to + (0 .. room - 1));
    if (room != 0) {
        Frama_C_make_unknown(to, room);
    }
    return any64();
}

unsigned ZSTD_isError(size_t code)
{
    (void)code;
    return any_bool();
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

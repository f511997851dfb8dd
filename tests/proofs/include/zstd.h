/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the library's header: what linux/cotenantctl/zstd_frame.c uses of it. */
#ifndef COTENANT_TESTS_PROOFS_ZSTD_H
#define COTENANT_TESTS_PROOFS_ZSTD_H

#include <stddef.h>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

typedef struct {
    const void *src;
    size_t size;
    size_t pos;
} ZSTD_inBuffer;

typedef struct {
    void *dst;
    size_t size;
    size_t pos;
} ZSTD_outBuffer;

typedef enum { ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end } ZSTD_EndDirective;
typedef enum { ZSTD_c_compressionLevel = 100, ZSTD_c_checksumFlag = 201 } ZSTD_cParameter;

struct ZSTD_CCtx_s *ZSTD_createCCtx(void);
size_t ZSTD_freeCCtx(struct ZSTD_CCtx_s *of);
size_t ZSTD_CCtx_setParameter(struct ZSTD_CCtx_s *of, ZSTD_cParameter which, int value);
size_t ZSTD_CCtx_setPledgedSrcSize(struct ZSTD_CCtx_s *of, unsigned long long size);
size_t ZSTD_compressStream2(struct ZSTD_CCtx_s *with, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                            ZSTD_EndDirective directive);
struct ZSTD_DCtx_s *ZSTD_createDCtx(void);
size_t ZSTD_freeDCtx(struct ZSTD_DCtx_s *of);
size_t ZSTD_decompressStream(struct ZSTD_DCtx_s *with, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
unsigned ZSTD_isError(size_t code);
const char *ZSTD_getErrorName(size_t code);

#endif

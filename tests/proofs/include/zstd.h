/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the library's header: what linux/cotenantctl/packed.c uses of it. */
#ifndef COTENANT_TESTS_PROOFS_ZSTD_H
#define COTENANT_TESTS_PROOFS_ZSTD_H

#include <stddef.h>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

typedef enum { ZSTD_c_compressionLevel = 100 } ZSTD_cParameter;

struct ZSTD_CCtx_s *ZSTD_createCCtx(void);
size_t ZSTD_freeCCtx(struct ZSTD_CCtx_s *of);
size_t ZSTD_CCtx_setParameter(struct ZSTD_CCtx_s *of, ZSTD_cParameter which, int value);
size_t ZSTD_compress2(struct ZSTD_CCtx_s *with, void *to, size_t room, const void *from,
                      size_t size);
struct ZSTD_DCtx_s *ZSTD_createDCtx(void);
size_t ZSTD_freeDCtx(struct ZSTD_DCtx_s *of);
size_t ZSTD_decompressDCtx(struct ZSTD_DCtx_s *with, void *to, size_t room, const void *from,
                           size_t size);
unsigned ZSTD_isError(size_t code);

#endif

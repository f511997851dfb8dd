/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 of IEEE 802.3 (reflected polynomial 0xedb88320), as zlib.crc32 of the tool computes it. */
#ifndef COTENANT_CORE_CRC32_H
#define COTENANT_CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * The CRC of some bytes followed by `length` more at `data`, where `crc` is that of the bytes
 * before (0 if there are none). Time proportional to `length`: for use at boot.
 */
uint32_t crc32_update(uint32_t crc, const void *data, size_t length);

#endif

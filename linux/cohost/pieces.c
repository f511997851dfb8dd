/* SPDX-License-Identifier: BSD-2-Clause */
#include "pieces.h"

#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t pieces_size(const struct iovec *pieces, unsigned count)
{
    size_t size = 0;

    for (unsigned i = 0; i < count; i++) {
        size += pieces[i].iov_len;
    }
    return size;
}

size_t pieces_skip(struct iovec **pieces, unsigned *count, size_t bytes)
{
    size_t skipped = 0;

    while (*count > 0 && (skipped < bytes || (*pieces)->iov_len == 0)) {
        size_t part = least(bytes - skipped, (*pieces)->iov_len);

        (*pieces)->iov_base = (uint8_t *)(*pieces)->iov_base + part;
        (*pieces)->iov_len -= part;
        skipped += part;
        if ((*pieces)->iov_len == 0) {
            (*pieces)++;
            (*count)--;
        }
    }
    return skipped;
}

size_t pieces_put(const struct iovec *pieces, unsigned count, const void *bytes, size_t size)
{
    size_t done = 0;

    for (unsigned i = 0; i < count && done < size; i++) {
        size_t part = least(size - done, pieces[i].iov_len);

        memcpy(pieces[i].iov_base, (const uint8_t *)bytes + done, part);
        done += part;
    }
    return done;
}

size_t pieces_get(const struct iovec *pieces, unsigned count, void *bytes, size_t size)
{
    size_t done = 0;

    for (unsigned i = 0; i < count && done < size; i++) {
        size_t part = least(size - done, pieces[i].iov_len);

        memcpy((uint8_t *)bytes + done, pieces[i].iov_base, part);
        done += part;
    }
    return done;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a request, in pieces. */
#ifndef COHOST_PIECES_H
#define COHOST_PIECES_H

#include <stddef.h>
#include <sys/uio.h>

size_t pieces_size(const struct iovec *pieces, unsigned count);

/*
 * Takes bytes away from the beginning, and empty pieces behind them: *pieces and *count change.
 * Returns how many bytes there were.
 */
size_t pieces_skip(struct iovec **pieces, unsigned *count, size_t bytes);

/* Copies into the pieces from their beginning. Returns how many bytes found room. */
size_t pieces_put(const struct iovec *pieces, unsigned count, const void *bytes, size_t size);

/* Copies out of the pieces from their beginning. Returns how many bytes there were. */
size_t pieces_get(const struct iovec *pieces, unsigned count, void *bytes, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host's kernel moves data past its cache only from and to what it knows as memory, so what is
 * apart from it (memory.h) passes through a buffer: that is one copy, as the cache's would be, and
 * nothing is kept. Places and sizes in a file that are not aligned as the device wants it pass
 * through the cache.
 */
#include "transfer.h"

#include <errno.h>

#include "memory.h"
#include "pieces.h"

void transfer_begin(struct transfer *transfer)
{
    transfer->direct = transfer->file->direct >= 0;
    (void)pieces_skip(&transfer->pieces, &transfer->number, 0);
}

static struct iovec fill_buffer(const struct transfer *transfer)
{
    size_t size = pieces_size(transfer->pieces, transfer->number);

    size = size < TRANSFER_BUFFER_SIZE ? size : TRANSFER_BUFFER_SIZE;
    if (transfer->write) {
        pieces_get(transfer->pieces, transfer->number, transfer->buffer, size);
    }
    return (struct iovec){transfer->buffer, size};
}

struct transfer_step transfer_next(struct transfer *transfer)
{
    struct transfer_step step = {
        .file = transfer->direct ? transfer->file->direct : transfer->file->cached,
        .pieces = transfer->pieces,
        .number = transfer->number,
        .offset = transfer->offset,
    };

    transfer->part.iov_len = 0;
    if (transfer->direct && memory.apart) {
        transfer->part = fill_buffer(transfer);
        step.pieces = &transfer->part;
        step.number = 1;
    }
    return step;
}

bool transfer_go_on(struct transfer *transfer, int64_t result)
{
    if (transfer->direct && result == -EINVAL) {
        transfer->direct = false;
        return true;
    }
    if (result == -EINTR || result == -EAGAIN) {
        return true;
    }
    if (result <= 0) {
        return false;
    }
    if (transfer->part.iov_len != 0 && !transfer->write) {
        pieces_put(transfer->pieces, transfer->number, transfer->buffer, (size_t)result);
    }
    transfer->offset += pieces_skip(&transfer->pieces, &transfer->number, (size_t)result);
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A read or write of a disk's file, from or to the guest's memory, in as many steps as it takes:
 * past the host's page cache as far as that can be, so that what is moved is neither copied by the
 * host's kernel nor kept by it as well as by the guest's.
 */
#ifndef COHOST_TRANSFER_H
#define COHOST_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* What is moved at most in one step if it passes through a buffer, bytes. */
#define TRANSFER_BUFFER_SIZE (256u * 1024)

struct transfer_file {
    int cached;
    int direct; /* the same past the cache; -1: not */
};

struct transfer {
    const struct transfer_file *file;
    uint8_t *buffer; /* TRANSFER_BUFFER_SIZE bytes at a multiple of a page, if it may go direct */
    bool write;
    /* What is left: of the guest's memory, which changes, and where in the file. */
    struct iovec *pieces;
    unsigned number;
    uint64_t offset;
    /* Of the step. */
    bool direct;
    struct iovec part; /* of the buffer; its length is 0 if it is not used */
};

/* What a step is to read or write, which stays until the step is over. */
struct transfer_step {
    int file;
    const struct iovec *pieces;
    unsigned number;
    uint64_t offset;
};

/* After all but `part` and `direct` is set. */
void transfer_begin(struct transfer *transfer);

/* The next step; there is one as long as number is not 0. */
struct transfer_step transfer_next(struct transfer *transfer);

/* Ends a step with what the system call returned, or a negative error. False: it has failed. */
bool transfer_go_on(struct transfer *transfer, int64_t result);

#endif

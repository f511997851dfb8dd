/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes that the host's kernel carries out while threads of this program go on (Linux'
 * io_uring). The thread that finds out that one is done is: one that begins others, one that waits
 * here because its vhart is idle, or else a thread of this file's own.
 */
#ifndef COHOST_IO_URING_H
#define COHOST_IO_URING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include <time.h>

/* The most operations at a time, of all who use this. */
#define IO_URING_MOST 256

/*
 * An operation, which is there until it is done. `done` gets what the system call would return, or
 * a negative error; it may add others.
 */
struct io_operation {
    void (*done)(struct io_operation *operation, int result);
};

/* Sets it up, once. False: the host's kernel does not let us have it. */
bool io_uring_open(void);

/* Operations on a file that stays open are a little shorter if it is told before. -1: none. */
void io_uring_know(int file);

/* Add an operation; io_uring_start() begins it. The pieces stay until it is done. */
void io_uring_transfer(struct io_operation *operation, int file, bool write,
                       const struct iovec *pieces, unsigned number, uint64_t offset);
void io_uring_sync_data(struct io_operation *operation, int file);

/* Begins what was added, and sees to what is done at once. */
void io_uring_start(void);

/*
 * A thread that has nothing to do waits here for operations instead of elsewhere. It says so by
 * io_uring_begin_wait(); false: none is under way, or another thread waits. From then on
 * io_uring_wake() ends its wait, also one that begins later. After io_uring_end_wait() it has seen
 * to what was done. `limit`: how long it waits; NULL: without a limit. False: that long.
 */
bool io_uring_begin_wait(void);
bool io_uring_wait(const struct timespec *limit);
void io_uring_end_wait(void);
void io_uring_wake(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A bus that remembers what was written, answers reads with it, and keeps a record of both. */
#ifndef COTENANT_TESTS_MMIO_RECORDER_H
#define COTENANT_TESTS_MMIO_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mmio_access {
    bool write;
    unsigned bits; /* 8, 16, 32 or 64 */
    uint64_t address;
    uint64_t value;
};

/* Forgets everything. */
void mmio_recorder_reset(void);

/* Forgets the record, but not what the registers hold. */
void mmio_recorder_clear(void);

/* The next reads of `address` give `value`, until something is written there. */
void mmio_recorder_set(uint64_t address, uint64_t value);

size_t mmio_recorder_count(void);

/* The access `index` of the record, which must exist. */
struct mmio_access mmio_recorder_get(size_t index);

/* Fails the test unless access `index` is this write. */
void assert_mmio_write(size_t index, unsigned bits, uint64_t address, uint64_t value);

#endif

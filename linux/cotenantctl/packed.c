/* SPDX-License-Identifier: BSD-2-Clause */
#include "packed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/*
 * About half of the instructions of level 1, for files that are three fifths larger: memory is on
 * its way to a disk, which takes such bytes in less time than a core needs to squeeze them.
 */
#define LEVEL (-20)
/* Zeros are looked for in lines of so many bytes. */
#define LINE 64u
#define WORD ((uint32_t)sizeof(uint64_t))

static void set_error(struct packed *packed, const char *error)
{
    if (packed->error == NULL) {
        packed->error = error;
    }
}

static void start(struct packed *packed, int file)
{
    packed->file = file;
    packed->error = NULL;
    packed->compressor = NULL;
    packed->decompressor = NULL;
    packed->checksum = 0;
    packed->next_run = 0;
    packed->next_byte = 0;
    packed->run = (struct packed_run){0, 0};
    packed->ended = false;
    packed->block = (struct packed_block){0};
}

static uint32_t padded(uint32_t length)
{
    return (length + WORD - 1) / WORD * WORD;
}

uint64_t packed_checksum(uint64_t checksum, const void *bytes, size_t length)
{
    const uint64_t *words = bytes;

    for (size_t i = 0; i < length / WORD; i++) {
        /* Each step can be undone, so none of them loses a difference. */
        checksum = (checksum ^ words[i]) * 0x9e3779b97f4a7c15;
        checksum ^= checksum >> 32;
    }
    return checksum;
}

/* That of the present block, as it is in the file; what is stored is padded. */
static uint64_t checksum_of(const struct packed *packed)
{
    const struct packed_block *block = &packed->block;
    const uint64_t *stored = block->stored < block->bytes ? packed->stored : packed->bytes;
    uint64_t checksum = packed->checksum;

    checksum = packed_checksum(checksum, block, offsetof(struct packed_block, checksum));
    checksum = packed_checksum(checksum, packed->runs, block->runs * sizeof(packed->runs[0]));
    return packed_checksum(checksum, stored, padded(block->stored));
}

/* Writing */

void packed_begin(struct packed *packed, int file)
{
    start(packed, file);
    packed->compressor = ZSTD_createCCtx();
    if (packed->compressor == NULL) {
        set_error(packed, "no memory");
        return;
    }
    ZSTD_CCtx_setParameter(packed->compressor, ZSTD_c_compressionLevel, LEVEL);
}

static void write_bytes(struct packed *packed, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length && packed->error == NULL;) {
        ssize_t count = write(packed->file, (const uint8_t *)bytes + done, length - done);

        if (count < 0 && errno != EINTR) {
            set_error(packed, strerror(errno));
        }
        done += count > 0 ? (size_t)count : 0;
    }
}

/* What does not become smaller, for whatever reason, is stored as it is. */
static void compress(struct packed *packed)
{
    struct packed_block *block = &packed->block;
    size_t size = ZSTD_compress2(packed->compressor, packed->stored, sizeof(packed->stored),
                                 packed->bytes, block->bytes);

    block->stored = block->bytes;
    if (!ZSTD_isError(size) && size + WORD <= block->bytes) {
        block->stored = (uint32_t)size;
        memset((uint8_t *)packed->stored + size, 0, padded(block->stored) - block->stored);
    }
}

static void write_block(struct packed *packed)
{
    struct packed_block *block = &packed->block;

    if (packed->error != NULL) {
        return;
    }
    if (block->bytes != 0) {
        compress(packed);
    }
    block->checksum = checksum_of(packed);
    packed->checksum = block->checksum;
    write_bytes(packed, block, sizeof(*block));
    write_bytes(packed, packed->runs, block->runs * sizeof(packed->runs[0]));
    write_bytes(packed, block->stored < block->bytes ? packed->stored : packed->bytes,
                padded(block->stored));
    *block = (struct packed_block){0};
}

void packed_put_zeros(struct packed *packed, uint64_t length)
{
    struct packed_block *block = &packed->block;

    while (length != 0) {
        uint32_t last = block->runs - 1;
        bool goes_on = block->runs != 0 && packed->runs[last].bytes == 0;
        uint32_t count = length < UINT32_MAX / 2 ? (uint32_t)length : UINT32_MAX / 2 + 1;

        if (goes_on && packed->runs[last].zeros <= UINT32_MAX / 2) {
            packed->runs[last].zeros += count;
        } else {
            if (block->runs == PACKED_MOST_RUNS) {
                write_block(packed);
            }
            packed->runs[block->runs++] = (struct packed_run){count, 0};
        }
        length -= count;
    }
}

/* Bytes that are not zeros, a line at most. */
static void put_line(struct packed *packed, const uint64_t *words, uint32_t length)
{
    struct packed_block *block = &packed->block;
    uint64_t *to;

    if (block->bytes + length > PACKED_MOST_BYTES) {
        write_block(packed);
    }
    if (block->runs == 0) {
        packed->runs[block->runs++] = (struct packed_run){0, 0};
    }
    to = packed->bytes + block->bytes / WORD;
    for (uint32_t i = 0; i < length / WORD; i++) {
        to[i] = words[i];
    }
    packed->runs[block->runs - 1].bytes += length;
    block->bytes += length;
}

static bool is_zero(const uint64_t *words, uint32_t length)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < length / WORD; i++) {
        any |= words[i];
    }
    return any == 0;
}

void packed_put(struct packed *packed, const void *bytes, uint64_t length)
{
    const uint8_t *next = bytes;
    uint64_t zeros = 0;

    for (uint64_t left = length; left != 0;) {
        uint32_t count = left < LINE ? (uint32_t)left : LINE;
        const uint64_t *words = (const uint64_t *)next;

        if (count == LINE ? is_zero(words, LINE) : is_zero(words, count)) {
            zeros += count;
        } else {
            packed_put_zeros(packed, zeros);
            zeros = 0;
            put_line(packed, words, count);
        }
        next += count;
        left -= count;
    }
    packed_put_zeros(packed, zeros);
}

void packed_end(struct packed *packed)
{
    if (packed->block.runs != 0) {
        write_block(packed);
    }
    write_block(packed);
    ZSTD_freeCCtx(packed->compressor);
    packed->compressor = NULL;
}

/* Reading */

void packed_open(struct packed *packed, int file)
{
    start(packed, file);
    packed->decompressor = ZSTD_createDCtx();
    if (packed->decompressor == NULL) {
        set_error(packed, "no memory");
    }
}

void packed_close(struct packed *packed)
{
    ZSTD_freeDCtx(packed->decompressor);
    packed->decompressor = NULL;
}

/* Returns fewer than `length` at the end of the file, and after an error. */
static size_t read_up_to(struct packed *packed, void *bytes, size_t length)
{
    size_t done = 0;

    while (done < length && packed->error == NULL) {
        ssize_t count = read(packed->file, (uint8_t *)bytes + done, length - done);

        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            set_error(packed, strerror(errno));
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return done;
}

static void read_bytes(struct packed *packed, void *bytes, size_t length)
{
    if (read_up_to(packed, bytes, length) != length) {
        set_error(packed, "it ends too early");
    }
}

/* The numbers of runs are a matter of what they are added up to. */
static bool is_possible(const struct packed_block *block)
{
    return block->runs <= PACKED_MOST_RUNS && block->bytes <= PACKED_MOST_BYTES &&
           block->bytes % WORD == 0 && block->stored <= block->bytes && block->reserved == 0 &&
           (block->stored == 0) == (block->bytes == 0) && (block->runs != 0 || block->bytes == 0);
}

/* Adds the lengths of the runs to `total`; they are not more than there is. */
static void add_up(struct packed *packed, uint64_t *total)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < packed->block.runs; i++) {
        const struct packed_run *run = &packed->runs[i];

        if ((run->zeros | run->bytes) % WORD != 0) {
            set_error(packed, "its numbers do not fit together");
        }
        bytes += run->bytes;
        *total += run->zeros;
    }
    if (bytes != packed->block.bytes) {
        set_error(packed, "its numbers do not fit together");
    }
    *total += bytes;
}

/*
 * Reads the next block, and checks it but for what its frame holds; returns the sum of its runs. 0,
 * with `ended` set: it was the last one. Nothing is in it after an error.
 */
static uint64_t read_block(struct packed *packed)
{
    struct packed_block *block = &packed->block;
    uint64_t total = 0;

    packed->next_run = 0;
    packed->next_byte = 0;
    read_bytes(packed, block, sizeof(*block));
    if (packed->error == NULL && !is_possible(block)) {
        set_error(packed, "its numbers do not fit together");
    }
    if (packed->error == NULL) {
        read_bytes(packed, packed->runs, block->runs * sizeof(packed->runs[0]));
        read_bytes(packed, block->stored < block->bytes ? packed->stored : packed->bytes,
                   padded(block->stored));
    }
    if (packed->error == NULL && block->checksum != checksum_of(packed)) {
        set_error(packed, "its checksum is wrong");
    }
    if (packed->error == NULL) {
        add_up(packed, &total);
    }
    if (packed->error != NULL) {
        *block = (struct packed_block){0};
        return 0;
    }
    packed->checksum = block->checksum;
    packed->ended = block->runs == 0;
    return total;
}

void packed_check(struct packed *packed, uint64_t size, void (*progress)(uint64_t done))
{
    uint64_t total = 0;

    while (!packed->ended && packed->error == NULL) {
        uint64_t count = read_block(packed);

        if (count > size - total) {
            set_error(packed, "its length is wrong");
            return;
        }
        total += count;
        if (progress != NULL) {
            progress(total);
        }
    }
    if (total != size) {
        set_error(packed, "its length is wrong");
    }
    if (read_up_to(packed, &packed->block, sizeof(packed->block)) != 0) {
        set_error(packed, "something follows its end");
    }
}

/* The bytes of a block that was read. */
static void unpack(struct packed *packed)
{
    const struct packed_block *block = &packed->block;

    if (block->stored < block->bytes &&
        ZSTD_decompressDCtx(packed->decompressor, packed->bytes, block->bytes, packed->stored,
                            block->stored) != block->bytes) {
        set_error(packed, "what is compressed in it is wrong");
    }
}

/* Goes to where something is left of a run; false: nothing comes. */
static bool find_run(struct packed *packed)
{
    while (packed->run.zeros == 0 && packed->run.bytes == 0) {
        if (packed->next_run < packed->block.runs) {
            packed->run = packed->runs[packed->next_run++];
        } else if (packed->ended || packed->error != NULL) {
            return false;
        } else {
            (void)read_block(packed);
            unpack(packed);
        }
    }
    return packed->error == NULL;
}

uint64_t packed_zeros(struct packed *packed)
{
    return find_run(packed) ? packed->run.zeros : 0;
}

void packed_skip_zeros(struct packed *packed, uint64_t length)
{
    packed->run.zeros -= (uint32_t)length;
}

void packed_get(struct packed *packed, void *bytes, uint64_t length)
{
    uint8_t *to = bytes;

    while (length != 0) {
        struct packed_run *run = &packed->run;
        uint32_t count;

        if (!find_run(packed)) {
            set_error(packed, "it ends too early");
            return;
        }
        if (run->zeros != 0) {
            count = run->zeros < length ? run->zeros : (uint32_t)length;
            memset(to, 0, count);
            run->zeros -= count;
        } else {
            count = run->bytes < length ? run->bytes : (uint32_t)length;
            memcpy(to, (const uint8_t *)packed->bytes + packed->next_byte, count);
            packed->next_byte += count;
            run->bytes -= count;
        }
        to += count;
        length -= count;
    }
}

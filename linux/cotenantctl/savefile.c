/* SPDX-License-Identifier: BSD-2-Clause */
#include "savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "say.h"
#include "write_all.h"

#define LEVEL 1 /* most of what there is to gain, at the speed of the line */
#define BLOCK (128 * 1024)

static int file = -1;
static const char *file_name;

static uint32_t crc32(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

static uint32_t checksum(const struct save_header *header)
{
    struct save_header copy = *header;

    copy.crc32 = 0;
    return crc32((const uint8_t *)&copy, sizeof(copy));
}

void save_describe(const struct tenant *tenant, uint32_t state_size, struct save_header *header)
{
    memset(header, 0, sizeof(*header)); /* the checksum covers all of it */
    header->magic = SAVE_MAGIC;
    header->version = SAVE_VERSION;
    header->size = sizeof(*header);
    header->state = tenant->about.state;
    header->vharts = tenant->about.vharts;
    header->state_size = state_size;
    header->memory_size = tenant_memory(tenant);
    header->entry = tenant->about.entry;
    strcpy(header->name, tenant->about.name);
    memcpy(header->memory, tenant->about.memory, sizeof(header->memory));
    header->crc32 = checksum(header);
}

/* Writing */

static ZSTD_CCtx *compressor;
static char *draft_name; /* NULL: there is no draft */

static void remove_draft(void)
{
    if (draft_name != NULL) {
        unlink(draft_name);
    }
}

static void compress(const void *bytes, uint32_t length, ZSTD_EndDirective directive)
{
    static uint8_t output[BLOCK];
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {output, sizeof(output), 0};

        left = ZSTD_compressStream2(compressor, &out, &in, directive);
        if (ZSTD_isError(left)) {
            fail(EXIT_REFUSED, "cannot compress: %s", ZSTD_getErrorName(left));
        }
        write_all(file, draft_name, output, out.pos);
    } while (in.pos < in.size || (directive == ZSTD_e_end && left != 0));
}

void save_begin(const char *path, const struct save_header *header)
{
    file_name = path;
    if (asprintf(&draft_name, "%s.XXXXXX", path) < 0) {
        fail(EXIT_REFUSED, "no memory");
    }
    file = mkstemp(draft_name);
    if (file < 0) {
        int reason = errno;

        draft_name = NULL;
        errno = reason;
        fail_errno("write", path);
    }
    atexit(remove_draft);
    compressor = ZSTD_createCCtx();
    if (compressor == NULL) {
        fail(EXIT_REFUSED, "no memory");
    }
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(compressor, header->state_size + header->memory_size);
    write_all(file, draft_name, header, sizeof(*header));
}

void save_put(const void *bytes, uint32_t length)
{
    compress(bytes, length, ZSTD_e_continue);
}

void save_end(void)
{
    compress(NULL, 0, ZSTD_e_end);
    ZSTD_freeCCtx(compressor);
    if (fsync(file) != 0 || close(file) != 0 || rename(draft_name, file_name) != 0) {
        fail_errno("write", file_name);
    }
    free(draft_name);
    draft_name = NULL;
}

/* Reading */

static ZSTD_DCtx *decompressor;
static uint8_t input[BLOCK];
static ZSTD_inBuffer waiting = {input, 0, 0};
static bool frame_ended;

static __attribute__((noreturn)) void damaged(const char *how)
{
    fail(EXIT_REFUSED, "%s is no saved tenant or was damaged: %s", file_name, how);
}

/* Returns fewer than `length` at the end of the file only. */
static size_t read_some(void *bytes, size_t length)
{
    size_t done = 0;

    while (done < length) {
        ssize_t count = read(file, (uint8_t *)bytes + done, length - done);

        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            fail_errno("read", file_name);
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return done;
}

static void begin_frame(void)
{
    if (lseek(file, sizeof(struct save_header), SEEK_SET) < 0) {
        fail_errno("read", file_name);
    }
    ZSTD_DCtx_reset(decompressor, ZSTD_reset_session_only);
    waiting = (ZSTD_inBuffer){input, 0, 0};
    frame_ended = false;
}

/* Gives up to `length` bytes; fewer at the end of the frame only. */
static uint32_t decompress(void *bytes, uint32_t length)
{
    ZSTD_outBuffer out = {bytes, length, 0};

    while (!frame_ended && out.pos < length) {
        size_t before = out.pos, left;

        if (waiting.pos == waiting.size) {
            waiting.pos = 0;
            waiting.size = read_some(input, sizeof(input));
        }
        left = ZSTD_decompressStream(decompressor, &out, &waiting);
        if (ZSTD_isError(left)) {
            damaged(ZSTD_getErrorName(left));
        }
        frame_ended = left == 0;
        if (!frame_ended && waiting.size == 0 && out.pos == before) {
            damaged("it ends too early");
        }
    }
    return (uint32_t)out.pos;
}

static bool adds_up(const struct save_header *header)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        if (header->memory[i].size > UINT64_MAX / 8) {
            return false;
        }
        sum += header->memory[i].size;
    }
    return header->state_size <= COTENANT_CONTROL_MOST_DATA && sum == header->memory_size &&
           header->name[COTENANT_NAME_SIZE - 1] == '\0';
}

/* Reads the whole frame: its checksum is at its end. */
static void check_all(const struct save_header *header)
{
    static uint8_t block[BLOCK];
    uint64_t expected = header->state_size + header->memory_size, total = 0;
    uint32_t count;
    char end;

    begin_frame();
    do {
        count = decompress(block, sizeof(block));
        total += count;
        say_progress("checking the file", total < expected ? total : expected, expected);
    } while (count != 0 && total <= expected);
    /* A frame of just the right length is not at its end before it has been asked for more. */
    if (total == expected && !frame_ended) {
        decompress(block, 1);
    }
    if (total != expected || !frame_ended) {
        damaged("its length is wrong");
    }
    if (waiting.pos < waiting.size || read_some(&end, 1) != 0) {
        damaged("something follows its end");
    }
}

void save_open(const char *path, struct save_header *header)
{
    file_name = path;
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        fail_errno("read", path);
    }
    if (read_some(header, sizeof(*header)) != sizeof(*header) || header->magic != SAVE_MAGIC) {
        damaged("it begins differently");
    }
    if (header->version != SAVE_VERSION) {
        fail(EXIT_REFUSED, "%s was written by a program for version %u of such files, not %u", path,
             header->version, SAVE_VERSION);
    }
    if (header->size != sizeof(*header) || header->crc32 != checksum(header) || !adds_up(header)) {
        damaged("its beginning does not add up");
    }
    decompressor = ZSTD_createDCtx();
    if (decompressor == NULL) {
        fail(EXIT_REFUSED, "no memory");
    }
}

void save_check(const struct save_header *header)
{
    check_all(header);
    begin_frame();
}

void save_get(void *bytes, uint32_t length)
{
    if (decompress(bytes, length) != length) {
        damaged("it has changed meanwhile");
    }
}

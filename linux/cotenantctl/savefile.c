/* SPDX-License-Identifier: BSD-2-Clause */
#include "savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "draft.h"
#include "packed.h"
#include "say.h"
#include "write_all.h"

static int file = -1;
static const char *file_name;
static struct packed packed;

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

static void check_written(void)
{
    if (packed.error != NULL) {
        fail(EXIT_REFUSED, "cannot write %s: %s", file_name, packed.error);
    }
}

void save_begin(const char *path, const struct save_header *header)
{
    file_name = path;
    file = draft_open(path);
    if (file < 0) {
        fail_errno("write", path);
    }
    write_all(file, path, header, sizeof(*header));
    packed_begin(&packed, file);
    check_written();
}

void save_put(const void *bytes, uint64_t length)
{
    packed_put(&packed, bytes, length);
    check_written();
}

void save_put_zeros(uint64_t length)
{
    packed_put_zeros(&packed, length);
    check_written();
}

void save_end(void)
{
    packed_end(&packed);
    check_written();
    if (fsync(file) != 0 || close(file) != 0 || draft_keep(file_name) != 0) {
        fail_errno("write", file_name);
    }
}

/* Reading */

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
}

static uint64_t expected;

static void say_checked(uint64_t done)
{
    say_progress("checking the file", done, expected);
}

/* Goes to where the memory begins. */
static void begin_packed(void)
{
    if (lseek(file, sizeof(struct save_header), SEEK_SET) < 0) {
        fail_errno("read", file_name);
    }
    packed_open(&packed, file);
}

void save_check(const struct save_header *header)
{
    expected = header->state_size + header->memory_size;
    begin_packed();
    packed_check(&packed, expected, say_checked);
    if (packed.error != NULL) {
        damaged(packed.error);
    }
    packed_close(&packed);
    begin_packed();
}

/* What was checked is there, but for what is compressed. */
static void check_read(void)
{
    if (packed.error != NULL) {
        damaged(packed.error);
    }
}

void save_get(void *bytes, uint64_t length)
{
    packed_get(&packed, bytes, length);
    check_read();
}

uint64_t save_zeros(void)
{
    uint64_t count = packed_zeros(&packed);

    check_read();
    return count;
}

void save_skip_zeros(uint64_t length)
{
    packed_skip_zeros(&packed, length);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose the window is, locks on a file say: they end with their process, by whatever means. They
 * are at the offsets of addresses. What is in the file is a byte for each piece of memory, which
 * says whether it is clear; it is gone when the host is started again, as what is in memory then
 * is not known.
 */
#include "window.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clearing.h"
#include "huge_pages.h"
#include "machine.h"
#include "memory.h"
#include "say.h"

#define FILE_NAME ".window"
#define PATH_SIZE 512
#define CLEAR 'c'
/* That are read or written at a time. */
#define PIECES 256

bool window_has(const struct range *window, const struct range *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (ranges[i].address < window->address || ranges[i].size > window->size ||
            ranges[i].address - window->address > window->size - ranges[i].size) {
            return false;
        }
    }
    return true;
}

static int open_file(void)
{
    static int file = -1;
    char path[PATH_SIZE];

    if (file < 0) {
        snprintf(path, sizeof(path), "%s/" FILE_NAME, machine_run_directory());
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) {
            fail_errno("open", path);
        }
    }
    return file;
}

/* A lock of the file that is open, so that no other thread or program of this process drops it. */
static bool lock(const struct range *range)
{
    struct flock wanted = {
        .l_type = F_WRLCK,
        .l_whence = SEEK_SET,
        .l_start = (off_t)range->address,
        .l_len = (off_t)range->size,
    };

    return fcntl(open_file(), F_OFD_SETLK, &wanted) == 0;
}

/*
 * Says of the pieces of a range that is locked whether they are clear. What was said before is
 * looked at by `look`, piece by piece; NULL: by nobody.
 */
static void exchange_clear(const struct range *range, char clear,
                           void (*look)(uint64_t address, char before))
{
    uint64_t first = range->address / COTENANT_HOSTED_GRAIN;
    uint64_t count = range->size / COTENANT_HOSTED_GRAIN;
    char said[PIECES];

    for (uint64_t done = 0, part; done < count; done += part) {
        off_t place = (off_t)(first + done);

        part = count - done < PIECES ? count - done : PIECES;
        memset(said, 0, sizeof(said));
        if (look != NULL && pread(open_file(), said, part, place) < 0) {
            fail_errno("read", FILE_NAME);
        }
        for (uint64_t i = 0; look != NULL && i < part; i++) {
            look((first + done + i) * COTENANT_HOSTED_GRAIN, said[i]);
        }
        memset(said, clear, sizeof(said));
        if (pwrite(open_file(), said, part, place) != (ssize_t)part) {
            fail_errno("write", FILE_NAME);
        }
    }
}

bool window_claim(const struct range *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!lock(&ranges[i])) {
            return false;
        }
    }
    return true;
}

bool window_find(const struct range *window, struct range *range)
{
    range->address = window->address;
    while (window_has(window, range, 1)) {
        if (lock(range)) {
            return true;
        }
        range->address += COTENANT_HOSTED_GRAIN;
    }
    return false;
}

static void need_no_clearing(uint64_t address, char before)
{
    if (before == CLEAR) {
        clearing_written(address, COTENANT_HOSTED_GRAIN);
    }
}

void window_take(const struct range *ranges, unsigned count)
{
    huge_pages_take_shared();
    for (unsigned i = 0; i < count; i++) {
        memory_add_in_pieces(&ranges[i]);
    }
    clearing_need();
    for (unsigned i = 0; i < count; i++) {
        exchange_clear(&ranges[i], 0, need_no_clearing);
    }
}

void window_is_clear(void)
{
    for (unsigned i = 0; i < memory.count; i++) {
        exchange_clear(&memory.ranges[i], CLEAR, NULL);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose the window is, locks on a file say: they end with their process, by whatever means. */
#include "window.h"

#include <fcntl.h>
#include <stdio.h>

#include "clearing.h"
#include "huge_pages.h"
#include "machine.h"
#include "memory.h"
#include "say.h"

#define LOCKS ".window"
#define LOCKS_PATH_SIZE 512

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

/* A lock of the file that is open, so that no other thread or program of this process drops it. */
static bool lock(const struct range *range)
{
    static int file = -1;
    char path[LOCKS_PATH_SIZE];
    struct flock wanted = {
        .l_type = F_WRLCK,
        .l_whence = SEEK_SET,
        .l_start = (off_t)range->address,
        .l_len = (off_t)range->size,
    };

    if (file < 0) {
        snprintf(path, sizeof(path), "%s/" LOCKS, machine_run_directory());
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) {
            fail_errno("open", path);
        }
    }
    return fcntl(file, F_OFD_SETLK, &wanted) == 0;
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

void window_take(const struct range *ranges, unsigned count)
{
    huge_pages_take_shared();
    for (unsigned i = 0; i < count; i++) {
        memory_add_in_pieces(&ranges[i]);
    }
    clearing_need();
}

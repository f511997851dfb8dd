/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host's pool of huge pages (Documentation/admin-guide/mm/hugetlbpage.rst of the kernel). While
 * it is held, pages that are taken out of a file stay in it, and the one that came last is the next
 * to be given out.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "abi/hosted.h"
#include "machine.h"
#include "say.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define SURPLUS "/sys/kernel/mm/hugepages/hugepages-2048kB/surplus_hugepages"
/* The pool's size before, as long as it is held; a process that was killed leaves it behind. */
#define NOTE "/run/cohost/.pool"

static bool read_number(const char *path, size_t *number)
{
    FILE *file = fopen(path, "re");
    bool good = file != NULL && fscanf(file, "%zu", number) == 1;

    if (file != NULL) {
        fclose(file);
    }
    return good;
}

static void write_number(const char *path, size_t number)
{
    FILE *file = fopen(path, "we");

    if (file == NULL || fprintf(file, "%zu\n", number) < 0 || fclose(file) != 0) {
        fail_errno("write", path);
    }
}

void machine_hold_pool(void)
{
    size_t pages, surplus;

    if (!read_number(POOL, &pages) || !read_number(SURPLUS, &surplus) || pages < surplus) {
        fail_errno("read", POOL);
    }
    write_number(NOTE, pages - surplus);
    write_number(POOL, pages);
}

void machine_release_pool(void)
{
    size_t pages;

    if (read_number(NOTE, &pages)) {
        write_number(POOL, pages);
        unlink(NOTE);
    }
}

void machine_remove_page(int file, uint64_t offset)
{
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
              COTENANT_HOSTED_GRAIN);
}

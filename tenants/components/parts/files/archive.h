/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of files that archive.S has. */
#ifndef COTENANT_COMPONENTS_ARCHIVE_H
#define COTENANT_COMPONENTS_ARCHIVE_H

#include <stdint.h>

struct archive_file {
    const char *name;
    const uint8_t *bytes;
    uint64_t size;
};

extern const struct archive_file archive_files[];
extern const struct archive_file archive_end[];

#endif

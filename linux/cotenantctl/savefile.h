/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that hold a tenant: docs/control.md has the format. State and memory are packed (packed.h).
 */
#ifndef COTENANTCTL_SAVEFILE_H
#define COTENANTCTL_SAVEFILE_H

#include "tenants.h"

/* "COTSAVE1" in memory order. */
#define SAVE_MAGIC 0x3145564153544f43
#define SAVE_VERSION 2

/* The beginning of a file, little endian. Behind it: state and memory, packed. */
struct save_header {
    uint64_t magic;
    uint32_t version;
    uint32_t size;  /* of this structure */
    uint32_t crc32; /* IEEE 802.3, of this structure with this field zero */
    uint32_t state; /* COTENANT_STATE_* that the tenant was in */
    uint32_t vharts;
    uint32_t state_size; /* bytes of struct dormant_state in front of the memory, or 0 */
    uint64_t memory_size;
    uint64_t entry;
    char name[COTENANT_NAME_SIZE];
    struct control_range memory[COTENANT_MAX_MEMORY_RANGES];
};

/* What a file of this tenant, as it is now, begins with. */
void save_describe(const struct tenant *tenant, uint32_t state_size, struct save_header *header);

/*
 * Writing. All goes to a file beside `path`, which save_end() gives its name: a save that does not
 * come to its end leaves nothing behind, and what was at `path` before stays.
 */
void save_begin(const char *path, const struct save_header *header);
void save_put(const void *bytes, uint64_t length);
void save_put_zeros(uint64_t length);
void save_end(void);

/*
 * Reading. save_open() reads and checks the beginning; save_check() reads all of the file, checks
 * it, and returns to where the state is. Both end the program (EXIT_REFUSED) if there is anything
 * wrong with it. Then save_get() gives exactly `length` bytes. save_zeros() says how many zeros
 * come next, at least; of them, save_skip_zeros() leaves out some.
 *
 * All lengths are multiples of 8.
 */
void save_open(const char *path, struct save_header *header);
void save_check(const struct save_header *header);
void save_get(void *bytes, uint64_t length);
uint64_t save_zeros(void);
void save_skip_zeros(uint64_t length);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that hold a guest. In front, little endian: magic number, version, and the size of what
 * follows; then, packed (packed.h), struct saved_guest and the guest's memory, a range behind the
 * other.
 */
#ifndef COHOST_SAVEFILE_H
#define COHOST_SAVEFILE_H

#include "bus.h"
#include "guest.h"
#include "host_tree.h"
#include "ns16550.h"
#include "ranges.h"
#include "running.h"
#include "virtio_mmio.h"

/* "COHSAVE1" in memory order. */
#define SAVE_MAGIC 0x3145564153484f43
#define SAVE_VERSION 3

struct saved_guest {
    char name[RUNNING_NAME_SIZE];
    /* The machine: the guest's kernel has set itself up for it. */
    uint64_t timebase;
    uint64_t cpu; /* digest of what its CPUs can do */
    struct range plic;
    struct range ranges[COTENANT_HOSTED_MAX_RANGES];
    uint32_t range_count;
    uint32_t cpus;
    /* Its devices have been reset by their drivers; only the console has a state. */
    uint32_t device_count;
    uint32_t vhart;
    uint32_t presses; /* see save_port_open */
    uint32_t reserved;
    uint64_t entry, argument;
    struct virtio_kind devices[BUS_MOST_DEVICES];
    struct ns16550_state console;
};

/*
 * Writes the guest of this process, which is suspended, to a file. Returns NULL, or what went
 * wrong.
 */
const char *save_write(int file, const struct running *self, uint32_t presses,
                       const struct host_tree *host);

/*
 * Opens and checks a file: what is in it is complete, and its numbers are such as a guest has. Ends
 * the program if not.
 */
void save_open(const char *path, struct saved_guest *saved);

/* Ends the program if the guest cannot go on here: another machine, or other devices. */
void save_check_machine(const struct saved_guest *saved, const struct host_tree *host);
void save_check_devices(const struct saved_guest *saved);

/* Reads the memory, which has been taken as the file says, and sets the console's state. */
struct guest_start save_load(const struct saved_guest *saved);

#endif

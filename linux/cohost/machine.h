/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine under the program: all that needs a host of Cotenant, and nothing else, so that tests
 * put another one in its place.
 */
#ifndef COHOST_MACHINE_H
#define COHOST_MACHINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The flattened device tree that this Linux was started with. */
const void *machine_tree(void);

/* Where the files of running guests are. */
const char *machine_run_directory(void);

/* A file of huge pages, without any yet. */
int machine_memory_file(void);

/* Lets the host give up to so many huge pages more than it keeps ready. */
void machine_allow_pages(size_t count);

/* How many huge pages the host can do without. */
size_t machine_spare_pages(void);

/* Has the host move what it can, so that other huge pages become free. */
void machine_compact(void);

/* Adds the huge page at an offset. False: the host has none left. */
bool machine_add_page(int file, uint64_t offset);

/* Takes the huge page at an offset out of a file. */
void machine_remove_page(int file, uint64_t offset);

/*
 * Between these, a page that is taken out of a file is the next one to be added to a file. What is
 * left over goes back to the host at the end. A pool that a killed process held is released, too.
 */
void machine_hold_pool(void);
void machine_release_pool(void);

/* Where a mapped page of such a file lies. `offset`: its place in the file. */
uint64_t machine_physical(const void *address, int file, uint64_t offset);

/* Maps the monitor's registers. */
void machine_map_registers(uint64_t address, size_t size);

/* An 8-byte access to a register. */
uint64_t machine_read(uint64_t offset);
void machine_write(uint64_t offset, uint64_t value);

/*
 * A vhart's turn, by a store to the word at an offset of the registers. It is not begun, or ends,
 * when *kicked is true and machine_kick was called for the thread.
 */
void machine_turn(uint64_t offset, uint32_t token, const volatile bool *kicked);
void machine_kick(pthread_t thread);

/*
 * Opens a tap device, which is made if it is not there: a file of packets that never waits. In
 * front of each is the header of a virtio network card, of so many bytes.
 */
#define MACHINE_TAP_HEADER 12
int machine_open_tap(const char *name);

/*
 * Maps memory that is not Linux's: what it leaves to guests, or a served tenant's. `place`: where;
 * NULL: anywhere.
 */
uint8_t *machine_map_memory(void *place, uint64_t address, uint64_t size);

/*
 * Code for the guest that begins at its first byte, and clears what a list says that lies right
 * behind it. The list ends with an `end` of 0; its `begin` is where the guest goes on. All others
 * are multiples of 512.
 */
struct machine_cleared {
    uint64_t begin;
    uint64_t end;
};

const void *machine_clearing_code(size_t *size);

/* Code for the guest that powers it off. */
const void *machine_power_off_code(size_t *size);

/* Opens a port of the virtual console; -1 with errno: it cannot be. */
int machine_open_port(const char *name);

/* The machine's clock, in ticks of its timebase. */
uint64_t machine_time(void);

#endif

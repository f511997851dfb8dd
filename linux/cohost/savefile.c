/* SPDX-License-Identifier: BSD-2-Clause */
#include "savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "clearing.h"
#include "console.h"
#include "memory.h"
#include "packed.h"
#include "say.h"

/* Beginning and step of the digest (FNV-1a, 64 bits). */
#define DIGEST_START 0xcbf29ce484222325
#define DIGEST_STEP 0x100000001b3
/* No memory lies behind it: the end of a range, and the size of all, can be computed. */
#define MOST_ADDRESS (UINT64_MAX / 2)

struct prefix {
    uint64_t magic;
    uint32_t version;
    uint32_t reserved;
    uint64_t size;
};

static struct packed packed;
static const char *file_name;

static uint64_t digest_of(const struct host_tree *host)
{
    static const char *const names[] = {"riscv,isa", "riscv,isa-extensions", "mmu-type"};
    uint64_t digest = DIGEST_START;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int length;
        const uint8_t *value = host_tree_property(host, host->cpu_node, names[i], &length);

        for (int at = 0; value != NULL && at < length; at++) {
            digest = (digest ^ value[at]) * DIGEST_STEP;
        }
    }
    return digest;
}

static uint64_t size_of(const struct saved_guest *saved)
{
    uint64_t size = 0;

    for (uint32_t i = 0; i < saved->range_count; i++) {
        size += saved->ranges[i].size;
    }
    return size;
}

static void describe(struct saved_guest *saved, const struct running *self, uint32_t presses,
                     const struct host_tree *host)
{
    const struct guest_start *start = guest_suspended();

    memset(saved, 0, sizeof(*saved));
    memcpy(saved->name, self->name, sizeof(saved->name));
    saved->timebase = host->timebase;
    saved->cpu = digest_of(host);
    saved->plic = host->plic;
    memcpy(saved->ranges, memory.ranges, memory.count * sizeof(memory.ranges[0]));
    saved->range_count = memory.count;
    saved->cpus = self->cpus;
    saved->presses = presses;
    saved->device_count = virtio_list(saved->devices);
    saved->vhart = start->vhart;
    saved->entry = start->entry;
    saved->argument = start->argument;
    ns16550_save(console_port(), &saved->console);
}

const char *save_write(int file, const struct running *self, uint32_t presses,
                       const struct host_tree *host)
{
    struct saved_guest saved;
    struct prefix prefix = {.magic = SAVE_MAGIC, .version = SAVE_VERSION};

    if (!virtio_all_at_rest()) {
        return "the driver of one of its devices does not suspend it";
    }
    describe(&saved, self, presses, host);
    prefix.size = sizeof(saved) + size_of(&saved);
    if (write(file, &prefix, sizeof(prefix)) != sizeof(prefix)) {
        return strerror(errno);
    }
    packed_begin(&packed, file);
    packed_put(&packed, &saved, sizeof(saved));
    for (unsigned i = 0; i < memory.count; i++) {
        packed_put(&packed, memory_range(i), memory.ranges[i].size);
    }
    packed_end(&packed);
    return packed.error == NULL && fsync(file) != 0 && errno != EINVAL ? strerror(errno)
                                                                       : packed.error;
}

__attribute__((noreturn)) static void damaged(const char *how)
{
    fail_start("%s holds no guest or was damaged: %s", file_name, how);
}

static void check_read(void)
{
    if (packed.error != NULL) {
        damaged(packed.error);
    }
}

/* Ranges as the monitor lends them, each behind the one before, and none at the address 0. */
static bool ranges_are_good(const struct saved_guest *saved)
{
    uint64_t end = 1;

    if (saved->range_count == 0 || saved->range_count > COTENANT_HOSTED_MAX_RANGES) {
        return false;
    }
    for (uint32_t i = 0; i < saved->range_count; i++) {
        const struct range *range = &saved->ranges[i];

        if (((range->address | range->size) & (COTENANT_HOSTED_GRAIN - 1)) != 0 ||
            range->size == 0 || range->address < end || range->address > MOST_ADDRESS ||
            range->size > MOST_ADDRESS - range->address) {
            return false;
        }
        end = range->address + range->size;
    }
    return true;
}

static bool is_good(const struct saved_guest *saved)
{
    return memchr(saved->name, '\0', sizeof(saved->name)) != NULL &&
           running_name_is_good(saved->name) && saved->cpus >= 1 &&
           saved->cpus <= COTENANT_HOSTED_SLOT_PAGES && saved->vhart < saved->cpus &&
           saved->device_count <= BUS_MOST_DEVICES && ranges_are_good(saved);
}

void save_open(const char *path, struct saved_guest *saved)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct prefix prefix;

    file_name = path;
    if (file < 0) {
        fail_errno("open", path);
    }
    if (read(file, &prefix, sizeof(prefix)) != sizeof(prefix) || prefix.magic != SAVE_MAGIC) {
        damaged("it begins differently");
    }
    if (prefix.version != SAVE_VERSION) {
        fail_start("%s was written by a program for version %u of such files, not %u", path,
                   prefix.version, SAVE_VERSION);
    }
    packed_open(&packed, file);
    packed_check(&packed, prefix.size, NULL);
    check_read();
    packed_close(&packed);
    if (lseek(file, sizeof(prefix), SEEK_SET) < 0) {
        fail_errno("read", path);
    }
    packed_open(&packed, file);
    packed_get(&packed, saved, sizeof(*saved));
    check_read();
    if (!is_good(saved) || prefix.size != sizeof(*saved) + size_of(saved)) {
        damaged("its numbers do not fit together");
    }
}

void save_check_machine(const struct saved_guest *saved, const struct host_tree *host)
{
    if (saved->timebase != host->timebase || saved->cpu != digest_of(host) ||
        saved->plic.address != host->plic.address || saved->plic.size != host->plic.size) {
        fail_start("the guest in %s was saved on a machine with another CPU, clock or interrupt "
                   "controller",
                   file_name);
    }
}

static const char *name_of(uint64_t id)
{
    return id == VIRTIO_ID_DISK          ? "a disk"
           : id == VIRTIO_ID_NET         ? "a network card"
           : id == VIRTIO_ID_FILE_SYSTEM ? "a share"
                                         : "another device";
}

/* The file names no files of the host: who restores it says again what its devices are. */
void save_check_devices(const struct saved_guest *saved)
{
    struct virtio_kind here[BUS_MOST_DEVICES];
    unsigned count = virtio_list(here);

    for (unsigned i = 0; i < count || i < saved->device_count; i++) {
        if (i >= count || i >= saved->device_count || here[i].id != saved->devices[i].id) {
            fail_start("the guest in %s had %u devices, with %s as number %u; start it with the "
                       "same --disk, --net and --share, in the same order",
                       file_name, saved->device_count,
                       i < saved->device_count ? name_of(saved->devices[i].id) : "nothing", i + 1);
        }
        if (here[i].detail != saved->devices[i].detail) {
            fail_start("disk %u of the guest in %s had %llu sectors, and has %llu", i + 1,
                       file_name, (unsigned long long)saved->devices[i].detail,
                       (unsigned long long)here[i].detail);
        }
        if ((saved->devices[i].features & ~here[i].features) != 0) {
            fail_start("%s, number %u, cannot do all that the guest in %s uses",
                       name_of(here[i].id), i + 1, file_name);
        }
    }
}

struct guest_start save_load(const struct saved_guest *saved)
{
    for (unsigned i = 0; i < memory.count; i++) {
        packed_get(&packed, memory_range(i), memory.ranges[i].size);
        check_read();
        clearing_written(memory.ranges[i].address, memory.ranges[i].size);
    }
    packed_close(&packed);
    close(packed.file);
    ns16550_restore(console_port(), &saved->console);
    return (struct guest_start){saved->vhart, saved->entry, saved->argument};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Each disk has a thread that carries out its requests one by one, so the guest goes on meanwhile.
 */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pieces.h"
#include "say.h"
#include "virtio_mmio.h"

#define SECTOR 512
#define FEATURE_MOST_SEGMENTS (1ull << 2)
#define FEATURE_READONLY (1ull << 5)
#define FEATURE_FLUSH (1ull << 9)

enum { REQUEST_READ = 0, REQUEST_WRITE = 1, REQUEST_FLUSH = 4 };
enum { ANSWER_OK, ANSWER_ERROR, ANSWER_UNSUPPORTED };

struct header {
    uint32_t type;
    uint32_t reserved;
    uint64_t sector;
};

struct configuration {
    uint64_t capacity; /* sectors */
    uint32_t most_size;
    uint32_t most_segments;
};

struct disk {
    struct virtio virtio;
    struct configuration configuration;
    int file;
    int direct; /* the same without the host's cache; -1: not wanted */
    bool readonly;
    pthread_t thread;
};

static struct disk disks[DISK_MOST];
static unsigned count;

static ssize_t transfer_some(int file, bool write, const struct iovec *pieces, unsigned number,
                             uint64_t offset)
{
    return write ? pwritev(file, pieces, (int)number, (off_t)offset)
                 : preadv(file, pieces, (int)number, (off_t)offset);
}

/*
 * Past the host's cache, if that is wanted and can be: what is not aligned as the device wants it
 * cannot, nor can memory that the host's kernel does not know as such (window.h).
 */
static ssize_t transfer_part(struct disk *disk, bool write, const struct iovec *pieces,
                             unsigned number, uint64_t offset)
{
    ssize_t done = -1;

    if (disk->direct >= 0) {
        done = transfer_some(disk->direct, write, pieces, number, offset);
        if (done < 0 && errno == EFAULT) {
            close(disk->direct);
            disk->direct = -1;
        } else if (done >= 0 || errno != EINVAL) {
            return done;
        }
    }
    return transfer_some(disk->file, write, pieces, number, offset);
}

/* Reads or writes all of the pieces; they change. */
static bool transfer(struct disk *disk, bool write, struct iovec *pieces, unsigned number,
                     uint64_t offset)
{
    while (number > 0) {
        ssize_t done = transfer_part(disk, write, pieces, number, offset);

        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0 && pieces->iov_len != 0) {
            return false;
        }
        offset += pieces_skip(&pieces, &number, (size_t)done);
    }
    return true;
}

static bool is_within(const struct disk *disk, uint64_t sector, uint64_t size)
{
    return size % SECTOR == 0 && sector <= disk->configuration.capacity &&
           size / SECTOR <= disk->configuration.capacity - sector;
}

static uint8_t carry_out(struct disk *disk, const struct header *header,
                         struct virtio_request *request)
{
    bool write = header->type == REQUEST_WRITE;
    /* The first piece that the device reads is the header, the last one that it writes is left. */
    struct iovec *pieces = write ? request->read + 1 : request->write;
    unsigned number = write ? request->read_count - 1 : request->write_count;

    if (header->type == REQUEST_FLUSH) {
        return fdatasync(disk->file) == 0 ? ANSWER_OK : ANSWER_ERROR;
    }
    if (header->type != REQUEST_READ && !write) {
        return ANSWER_UNSUPPORTED;
    }
    if ((write && disk->readonly) ||
        !is_within(disk, header->sector, pieces_size(pieces, number)) ||
        !transfer(disk, write, pieces, number, header->sector * SECTOR)) {
        return ANSWER_ERROR;
    }
    return ANSWER_OK;
}

/* Returns the bytes written into the request. */
static uint32_t serve(struct disk *disk, struct virtio_request *request)
{
    uint32_t written;
    struct header header;
    uint8_t *answer;

    if (request->read_count == 0 || request->read[0].iov_len != sizeof(header) ||
        request->write_count == 0 || request->write[request->write_count - 1].iov_len != 1) {
        return 0;
    }
    memcpy(&header, request->read[0].iov_base, sizeof(header));
    answer = request->write[--request->write_count].iov_base;
    written = (uint32_t)pieces_size(request->write, request->write_count) + 1;
    *answer = carry_out(disk, &header, request);
    return written;
}

static void *run_disk(void *argument)
{
    struct disk *disk = argument;
    struct virtio_request request;

    for (;;) {
        virtio_take(&disk->virtio, 0, &request);
        virtio_give_back(&disk->virtio, 0, &request, serve(disk, &request));
    }
    return NULL;
}

static uint64_t capacity_of(const char *name, int file)
{
    struct stat status;
    uint64_t size = 0;

    if (fstat(file, &status) != 0) {
        fail_errno("open", name);
    }
    if (S_ISREG(status.st_mode)) {
        size = (uint64_t)status.st_size;
    } else if (!S_ISBLK(status.st_mode) || ioctl(file, BLKGETSIZE64, &size) != 0) {
        fail_start("%s is neither a file nor a block device", name);
    }
    if (size < SECTOR) {
        fail_start("%s is too small for a disk", name);
    }
    return size / SECTOR;
}

static void open_disk(struct disk *disk, const char *name, bool direct)
{
    int flags = (disk->readonly ? O_RDONLY : O_RDWR) | O_CLOEXEC;

    disk->file = open(name, flags);
    disk->direct = direct ? open(name, flags | O_DIRECT) : -1;
    if (disk->file < 0 || (direct && disk->direct < 0)) {
        fail_errno("open", name);
    }
    if (flock(disk->file, (disk->readonly ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
        fail_start("disk %s is in use by another guest", name);
    }
    disk->configuration.capacity = capacity_of(name, disk->file);
    disk->configuration.most_segments = virtio_queue_size() - 2;
}

void disk_add(const char *file, bool readonly, bool direct)
{
    struct disk *disk = &disks[count];

    if (count == DISK_MOST) {
        fail_start("a guest has at most %u disks", DISK_MOST);
    }
    disk->readonly = readonly;
    open_disk(disk, file, direct);
    disk->virtio.id = VIRTIO_ID_DISK;
    disk->virtio.features =
        FEATURE_FLUSH | FEATURE_MOST_SEGMENTS | (disk->readonly ? FEATURE_READONLY : 0);
    disk->virtio.queue_count = 1;
    disk->virtio.configuration = &disk->configuration;
    disk->virtio.configuration_size = sizeof(disk->configuration);
    virtio_add(&disk->virtio);
    if (pthread_create(&disk->thread, NULL, run_disk, disk) != 0) {
        fail_start("there is no thread for disk %s", file);
    }
    count++;
}

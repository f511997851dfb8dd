/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Of a disk on the guest's bus, the vhart's own thread begins the requests that it notifies of, as
 * the host's kernel lets it (io_uring.h), so that the guest goes on meanwhile. Otherwise each disk
 * has a thread that carries them out one by one; so has one of a served tenant, whose next process
 * relies on the order.
 */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io_uring.h"
#include "pieces.h"
#include "say.h"
#include "transfer.h"
#include "virtio_mmio.h"

#define SECTOR 512
/* Requests of a disk that are carried out at a time. */
#define MOST_AT_ONCE 32
#define LOCK_PAUSE_NS 20000000
#define MOST_LOCK_PAUSES 50
#define FEATURE_MOST_SEGMENTS (1ull << 2)
#define FEATURE_READONLY (1ull << 5)
#define FEATURE_FLUSH (1ull << 9)

_Static_assert(DISK_MOST *MOST_AT_ONCE <= IO_URING_MOST, "each is an operation");

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

/* A request that is being carried out. */
struct work {
    struct io_operation operation; /* the first member */
    struct disk *disk;
    struct virtio_request request;
    struct transfer transfer;
    uint8_t *answer;
    uint32_t written; /* bytes, to be told */
};

struct disk {
    struct virtio virtio; /* the first member */
    struct configuration configuration;
    struct transfer_file file;
    bool readonly;
    pthread_t thread;
    /* Of one without a thread. */
    struct work *works;
    atomic_uint free;  /* a bit for each */
    atomic_bool waits; /* requests may wait until one is free */
};

static struct disk disks[DISK_MOST];
static struct work works[DISK_MOST][MOST_AT_ONCE];
static unsigned count;

static bool is_within(const struct disk *disk, uint64_t sector, uint64_t size)
{
    return size % SECTOR == 0 && sector <= disk->configuration.capacity &&
           size / SECTOR <= disk->configuration.capacity - sector;
}

/* Looks at what the request is about, once. False: it is none. */
static bool read_request(struct work *work, struct header *header)
{
    struct virtio_request *request = &work->request;
    struct transfer *transfer = &work->transfer;

    work->written = 0;
    if (request->read_count == 0 || request->read[0].iov_len != sizeof(*header) ||
        request->write_count == 0 || request->write[request->write_count - 1].iov_len != 1) {
        return false;
    }
    memcpy(header, request->read[0].iov_base, sizeof(*header));
    transfer->write = header->type == REQUEST_WRITE;
    /* The first piece that the device reads is the header, the last one that it writes is left. */
    work->answer = request->write[--request->write_count].iov_base;
    work->written = (uint32_t)pieces_size(request->write, request->write_count) + 1;
    transfer->pieces = transfer->write ? request->read + 1 : request->write;
    transfer->number = transfer->write ? request->read_count - 1 : request->write_count;
    transfer->offset = header->sector * SECTOR;
    transfer_begin(transfer);
    return true;
}

/* What is answered at once; ANSWER_OK: nothing, it is to be carried out. */
static uint8_t check(const struct work *work, const struct header *header)
{
    const struct transfer *transfer = &work->transfer;

    if (header->type == REQUEST_FLUSH) {
        return ANSWER_OK;
    }
    if (header->type != REQUEST_READ && !transfer->write) {
        return ANSWER_UNSUPPORTED;
    }
    return (transfer->write && work->disk->readonly) ||
                   !is_within(work->disk, header->sector,
                              pieces_size(transfer->pieces, transfer->number))
               ? ANSWER_ERROR
               : ANSWER_OK;
}

static int64_t move_some(struct transfer *transfer)
{
    struct transfer_step step = transfer_next(transfer);
    int number = (int)step.number;
    off_t offset = (off_t)step.offset;
    ssize_t done = transfer->write ? pwritev(step.file, step.pieces, number, offset)
                                   : preadv(step.file, step.pieces, number, offset);

    return done < 0 ? -errno : done;
}

static uint8_t carry_out(struct work *work, const struct header *header)
{
    uint8_t answer = check(work, header);

    if (answer == ANSWER_OK && header->type == REQUEST_FLUSH) {
        return fdatasync(work->disk->file.cached) == 0 ? ANSWER_OK : ANSWER_ERROR;
    }
    while (answer == ANSWER_OK && work->transfer.number > 0) {
        answer =
            transfer_go_on(&work->transfer, move_some(&work->transfer)) ? ANSWER_OK : ANSWER_ERROR;
    }
    return answer;
}

static void *run_disk(void *argument)
{
    struct work *work = argument;
    struct header header;

    for (;;) {
        virtio_take(&work->disk->virtio, 0, &work->request);
        if (read_request(work, &header)) {
            *work->answer = carry_out(work, &header);
        }
        virtio_give_back(&work->disk->virtio, 0, &work->request, work->written);
    }
    return NULL;
}

/* NULL: none is free. */
static struct work *try_take_free(struct disk *disk)
{
    unsigned free = atomic_load(&disk->free), number = 0;

    while (free != 0 && !atomic_compare_exchange_weak(&disk->free, &free, free & (free - 1))) {
    }
    while (free != 0 && (free >> number & 1) == 0) {
        number++;
    }
    return free == 0 ? NULL : &disk->works[number];
}

/* NULL: none is free, and put_back() will tell when one is. */
static struct work *take_free(struct disk *disk)
{
    struct work *work = try_take_free(disk);

    if (work == NULL) {
        atomic_store(&disk->waits, true);
        work = try_take_free(disk); /* one may have been put back before that */
    }
    return work;
}

/* Returns whether requests may have waited for it. */
static bool put_back(struct work *work)
{
    struct disk *disk = work->disk;

    atomic_fetch_or(&disk->free, 1u << (work - disk->works));
    return atomic_load(&disk->waits) && atomic_exchange(&disk->waits, false);
}

static void answer(struct work *work, uint8_t how)
{
    *work->answer = how;
    virtio_give_back(&work->disk->virtio, 0, &work->request, work->written);
}

static void begin_requests(struct disk *disk);

static void end(struct work *work, uint8_t how)
{
    struct disk *disk = work->disk;

    answer(work, how);
    if (put_back(work)) {
        begin_requests(disk);
    }
}

static void begin_transfer(struct work *work)
{
    struct transfer_step step = transfer_next(&work->transfer);

    io_uring_transfer(&work->operation, step.file, work->transfer.write, step.pieces, step.number,
                      step.offset);
}

static void transfer_done(struct io_operation *operation, int result)
{
    struct work *work = (struct work *)operation;

    if (!transfer_go_on(&work->transfer, result)) {
        end(work, ANSWER_ERROR);
    } else if (work->transfer.number > 0) {
        begin_transfer(work);
    } else {
        end(work, ANSWER_OK);
    }
}

static void flush_done(struct io_operation *operation, int result)
{
    end((struct work *)operation, result == 0 ? ANSWER_OK : ANSWER_ERROR);
}

/* False: it is over at once, and given back. */
static bool begin(struct work *work)
{
    struct header header;
    uint8_t how;

    if (!read_request(work, &header)) {
        virtio_give_back(&work->disk->virtio, 0, &work->request, 0);
        return false;
    }
    how = check(work, &header);
    if (how == ANSWER_OK && header.type == REQUEST_FLUSH) {
        work->operation.done = flush_done;
        io_uring_sync_data(&work->operation, work->disk->file.cached);
        return true;
    }
    if (how != ANSWER_OK || work->transfer.number == 0) {
        answer(work, how);
        return false;
    }
    work->operation.done = transfer_done;
    begin_transfer(work);
    return true;
}

/* Begins the next request. Returns whether there may be more. */
static bool begin_next(struct disk *disk)
{
    struct work *work = take_free(disk);
    bool more;

    if (work == NULL) {
        return false;
    }
    if (!virtio_try_take(&disk->virtio, 0, &work->request)) {
        return put_back(work);
    }
    more = !work->request.is_last;
    return (!begin(work) && put_back(work)) || more;
}

/* No more than a driver can have made: with its next one it notifies again. */
static void begin_requests(struct disk *disk)
{
    for (unsigned i = 0; i < VIRTIO_QUEUE_SIZE && begin_next(disk); i++) {
    }
}

static void serve(struct virtio *device, unsigned queue)
{
    (void)queue;
    begin_requests((struct disk *)device);
    io_uring_start();
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

/*
 * False: another guest has it. The host's kernel lets go of the disk of a guest that has ended a
 * moment later, when it has ended what that one's io_uring held.
 */
static bool lock_disk(const struct disk *disk)
{
    const struct timespec pause = {0, LOCK_PAUSE_NS};

    for (unsigned i = 0;
         flock(disk->file.cached, (disk->readonly ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0; i++) {
        if (i == MOST_LOCK_PAUSES) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

/*
 * A served tenant's thread waits for each request: a read past the cache, with its copy, took a
 * fifth longer than one through it.
 */
static bool is_direct(enum disk_cache cache)
{
    return cache == DISK_DIRECT || (cache == DISK_AS_POSSIBLE && !virtio_is_elsewhere());
}

static void open_disk(struct disk *disk, const char *name, enum disk_cache cache)
{
    int flags = (disk->readonly ? O_RDONLY : O_RDWR) | O_CLOEXEC;

    disk->file.cached = open(name, flags);
    disk->file.direct = is_direct(cache) ? open(name, flags | O_DIRECT) : -1;
    if (disk->file.cached < 0 || (cache == DISK_DIRECT && disk->file.direct < 0)) {
        fail_errno("open", name);
    }
    if (!lock_disk(disk)) {
        fail_start("disk %s is in use by another guest", name);
    }
    disk->configuration.capacity = capacity_of(name, disk->file.cached);
    disk->configuration.most_segments = virtio_queue_size() - 2;
}

/* What is never used of them takes no memory. */
static uint8_t *make_buffers(void)
{
    uint8_t *buffers = mmap(NULL, (size_t)MOST_AT_ONCE * TRANSFER_BUFFER_SIZE,
                            PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (buffers == MAP_FAILED) {
        fail_errno("find memory for", "a disk's requests");
    }
    return buffers;
}

/* Prepares what carries out the requests. */
static void set_up_works(struct disk *disk, struct work *all)
{
    uint8_t *buffers = disk->file.direct >= 0 ? make_buffers() : NULL;

    disk->works = all;
    for (unsigned i = 0; i < MOST_AT_ONCE; i++) {
        all[i].disk = disk;
        all[i].transfer.file = &disk->file;
        all[i].transfer.buffer = buffers == NULL ? NULL : buffers + i * TRANSFER_BUFFER_SIZE;
        (void)put_back(&all[i]);
    }
    if (!virtio_is_elsewhere() && io_uring_open()) {
        disk->virtio.serve = serve;
        io_uring_know(disk->file.cached);
        io_uring_know(disk->file.direct);
    }
}

void disk_add(const char *file, bool readonly, enum disk_cache cache)
{
    struct disk *disk = &disks[count];

    if (count == DISK_MOST) {
        fail_start("a guest has at most %u disks", DISK_MOST);
    }
    disk->readonly = readonly;
    open_disk(disk, file, cache);
    disk->virtio.id = VIRTIO_ID_DISK;
    disk->virtio.features =
        FEATURE_FLUSH | FEATURE_MOST_SEGMENTS | (disk->readonly ? FEATURE_READONLY : 0);
    disk->virtio.queue_count = 1;
    disk->virtio.configuration = &disk->configuration;
    disk->virtio.configuration_size = sizeof(disk->configuration);
    set_up_works(disk, works[count]);
    virtio_add(&disk->virtio);
    if (disk->virtio.serve == NULL &&
        pthread_create(&disk->thread, NULL, run_disk, &works[count][0]) != 0) {
        fail_start("there is no thread for disk %s", file);
    }
    count++;
}

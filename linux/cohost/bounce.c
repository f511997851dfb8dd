/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread for each queue carries out its requests one after the other, in the order in which the
 * driver made them: the next process of this program relies on it. The back end reads nothing that
 * the driver wrote but the bytes of requests, out of rings that only we write. A request that it
 * does not answer is given up when the driver resets the device, and the back end with it.
 */
#include "bounce.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pieces.h"
#include "say.h"
#include "vhost_user.h"
#include "virtio_mmio.h"

#define QUEUES 2
#define MOST_SHARES 2
/* Descriptors of a ring: one for what the back end reads, one for what it writes. */
#define RING 2
/* Of a request's parts. The longest ones of Linux are writes of 64 pages. */
#define MOST_BYTES (1024u * 1024)
#define ADDRESS 0x1000000 /* of the back end's memory, as it sees it */
#define PAUSE_MS 100
#define TAG_SIZE 36
#define DESCRIPTOR_NEXT 1
#define DESCRIPTOR_WRITE 2

/* What the back end sees of a queue (virtio 1.2, section 2.7). */
struct lane {
    struct {
        _Alignas(16) uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } descriptors[RING];
    struct {
        uint16_t flags, index, heads[RING], event;
    } available;
    struct {
        _Alignas(4) uint16_t flags;
        uint16_t index;
        struct {
            uint32_t head, length;
        } elements[RING];
        uint16_t event;
    } used;
    uint8_t read[MOST_BYTES], written[MOST_BYTES];
};

struct share {
    struct virtio virtio; /* what the driver sees: the first member */
    struct {
        char tag[TAG_SIZE];
        uint32_t request_queues;
    } configuration;
    struct vhost_way *way;
    struct memory memory; /* what the back end sees: the lanes */
    struct lane *lanes;
    int kicks[QUEUES], calls[QUEUES];
    atomic_bool hurries;  /* the device is being reset: no request is waited for */
    pthread_mutex_t lock; /* for what follows */
    unsigned connection;  /* how often there was a new one */
    struct vhost vhost;   /* its back end; socket -1: there is none */
    bool fresh;           /* it knows of no driver yet */
    struct worker {
        struct share *share;
        unsigned queue;
        pthread_t thread;
    } workers[QUEUES];
};

static struct share shares[MOST_SHARES];
static unsigned count;

static uint64_t address_of(const struct share *share, const void *place)
{
    return ADDRESS + (uint64_t)((const uint8_t *)place - (const uint8_t *)share->lanes);
}

static bool start_lane(struct share *share, unsigned queue)
{
    struct lane *lane = &share->lanes[queue];
    const struct vhost_queue shown = {
        .size = RING,
        .descriptors = lane->descriptors,
        .available = &lane->available,
        .used = &lane->used,
    };

    memset(&lane->available, 0, sizeof(lane->available));
    memset(&lane->used, 0, sizeof(lane->used));
    return vhost_start_queue(&share->vhost, queue, &shown, share->kicks[queue],
                             share->calls[queue]);
}

/* Connects to a back end, which knows of nothing before. */
static bool connect_once(struct share *share, const char **why)
{
    int socket = share->way->connect(share->way);
    bool good;

    *why = "it does not listen";
    if (socket < 0) {
        return false;
    }
    good = vhost_open(&share->vhost, socket, &share->memory, why);
    *why = good ? "it does not take the queues" : *why;
    good = good && (share->vhost.features & VIRTIO_F_VERSION_1) != 0 &&
           vhost_set_features(&share->vhost, VIRTIO_F_VERSION_1);
    for (unsigned i = 0; good && i < QUEUES; i++) {
        good = start_lane(share, i);
    }
    if (!good) {
        close(socket);
        share->vhost.socket = -1;
    }
    share->fresh = true;
    return good;
}

static void ring_bell(int event)
{
    const uint64_t one = 1;

    (void)!write(event, &one, sizeof(one));
}

static void drain(int event)
{
    uint64_t number;

    (void)!read(event, &number, sizeof(number));
}

/* With the lock: the back end is one no more. */
static void disconnect(struct share *share)
{
    if (share->vhost.socket >= 0) {
        say("%s does not serve the share any more: it is started again, or waited for",
            share->way->name);
        close(share->vhost.socket);
        share->vhost.socket = -1;
    }
}

/*
 * With the lock. The requests that were on their way are made again by the threads of the queues.
 * False: the device is being reset first.
 */
static bool connect_again(struct share *share, unsigned queue)
{
    const char *why;

    disconnect(share);
    do {
        struct pollfd wait = {share->calls[queue], POLLIN, 0};

        (void)poll(&wait, 1, PAUSE_MS); /* it is rung when the device is being reset */
        if (atomic_load(&share->hurries)) {
            return false;
        }
        drain(share->calls[queue]);
    } while (!connect_once(share, &why));
    say("%s serves the share again", share->way->name);
    share->connection++;
    for (unsigned i = 0; i < QUEUES; i++) {
        ring_bell(share->calls[i]);
    }
    return true;
}

/* The descriptors of what it reads and of what it writes. */
static void describe_parts(const struct share *share, struct lane *lane, uint32_t read,
                           uint32_t written)
{
    unsigned used = 0;

    if (read > 0 || written == 0) {
        lane->descriptors[used].address = address_of(share, lane->read);
        lane->descriptors[used].length = read;
        lane->descriptors[used].flags = written > 0 ? DESCRIPTOR_NEXT : 0;
        lane->descriptors[used++].next = 1;
    }
    if (written > 0) {
        lane->descriptors[used].address = address_of(share, lane->written);
        lane->descriptors[used].length = written;
        lane->descriptors[used].flags = DESCRIPTOR_WRITE;
    }
}

/*
 * Hands a request to the back end. Returns the socket of the connection by which that is done; -1:
 * there is no back end.
 */
static int publish(struct share *share, unsigned queue, uint32_t read, uint32_t written,
                   unsigned *connection)
{
    struct lane *lane = &share->lanes[queue];
    int socket;

    pthread_mutex_lock(&share->lock);
    *connection = share->connection;
    socket = share->vhost.socket;
    if (socket >= 0) {
        describe_parts(share, lane, read, written);
        lane->available.heads[lane->available.index % RING] = 0;
        __atomic_store_n(&lane->available.index, (uint16_t)(lane->available.index + 1),
                         __ATOMIC_RELEASE);
        share->fresh = false;
        ring_bell(share->kicks[queue]);
    }
    pthread_mutex_unlock(&share->lock);
    return socket;
}

static bool is_answered(struct share *share, unsigned queue, unsigned connection)
{
    const struct lane *lane = &share->lanes[queue];
    bool answered;

    pthread_mutex_lock(&share->lock);
    answered = share->connection == connection &&
               __atomic_load_n(&lane->used.index, __ATOMIC_ACQUIRE) == lane->available.index;
    pthread_mutex_unlock(&share->lock);
    return answered;
}

/* Waits for the answer. False: the back end that was asked is lost, or the device is being reset.
 */
static bool wait_for_answer(struct share *share, unsigned queue, int socket, unsigned connection)
{
    while (socket >= 0 && !is_answered(share, queue, connection)) {
        struct pollfd wait[] = {{share->calls[queue], POLLIN, 0}, {socket, 0, 0}};

        if (atomic_load(&share->hurries)) {
            return false;
        }
        if (poll(wait, 2, -1) < 0) {
            continue;
        }
        if (wait[0].revents != 0) {
            drain(share->calls[queue]);
        }
        if (wait[1].revents != 0 ||
            __atomic_load_n(&share->connection, __ATOMIC_ACQUIRE) != connection) {
            return is_answered(share, queue, connection);
        }
    }
    return socket >= 0;
}

/* After a back end was lost. False: there is no other one before the device is reset. */
static bool find_other(struct share *share, unsigned queue, unsigned connection)
{
    bool found = !atomic_load(&share->hurries);

    pthread_mutex_lock(&share->lock);
    if (found && share->connection == connection) {
        found = connect_again(share, queue);
    }
    pthread_mutex_unlock(&share->lock);
    return found;
}

/* Returns the bytes that the back end says to have written. */
static uint32_t ask(struct share *share, unsigned queue, uint32_t read, uint32_t written)
{
    struct lane *lane = &share->lanes[queue];
    unsigned connection;
    uint32_t length;
    int socket;

    socket = publish(share, queue, read, written, &connection);
    while (!wait_for_answer(share, queue, socket, connection)) {
        if (!find_other(share, queue, connection)) {
            return 0;
        }
        socket = publish(share, queue, read, written, &connection);
    }
    length = lane->used.elements[(uint16_t)(lane->available.index - 1) % RING].length;
    return length < written ? length : written;
}

static uint32_t carry_out(struct share *share, unsigned queue, const struct virtio_request *request)
{
    struct lane *lane = &share->lanes[queue];
    size_t read = pieces_size(request->read, request->read_count);
    size_t room = pieces_size(request->write, request->write_count);
    uint32_t written;

    if (read > MOST_BYTES || room > MOST_BYTES) {
        return 0; /* of no driver that keeps to the protocol */
    }
    (void)pieces_get(request->read, request->read_count, lane->read, read);
    written = ask(share, queue, (uint32_t)read, (uint32_t)room);
    return (uint32_t)pieces_put(request->write, request->write_count, lane->written, written);
}

static void *run(void *argument)
{
    struct worker *worker = argument;
    struct virtio *device = &worker->share->virtio;
    struct virtio_request request;

    for (;;) {
        virtio_take(device, worker->queue, &request);
        virtio_give_back(device, worker->queue, &request,
                         carry_out(worker->share, worker->queue, &request));
    }
    return NULL;
}

/* The driver resets the device or stops a queue: it needs no answer any more. */
static void hurry(struct virtio *device)
{
    struct share *share = (struct share *)device;

    atomic_store(&share->hurries, true);
    for (unsigned i = 0; i < QUEUES; i++) {
        ring_bell(share->calls[i]);
    }
}

/* The driver has reset the device: files that it had open are those of nobody. No request is open.
 */
static void end(struct virtio *device)
{
    struct share *share = (struct share *)device;

    atomic_store(&share->hurries, false);
    pthread_mutex_lock(&share->lock);
    if (!share->fresh) {
        disconnect(share); /* the next request finds another back end */
    }
    pthread_mutex_unlock(&share->lock);
}

/* The driver has stopped a queue: requests of the others find another back end, too. */
static void stop(struct virtio *device, unsigned queue)
{
    (void)queue;
    end(device);
}

static void make_memory(struct share *share)
{
    size_t size = (QUEUES * sizeof(struct lane) + 4095) & ~(size_t)4095;
    struct memory *shared = &share->memory;

    shared->file = memfd_create("share", MFD_CLOEXEC);
    if (shared->file < 0 || ftruncate(shared->file, (off_t)size) != 0) {
        fail_errno("make", "memory for a share");
    }
    share->lanes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, shared->file, 0);
    if (share->lanes == MAP_FAILED) {
        fail_errno("map", "memory for a share");
    }
    shared->count = 1;
    shared->ranges[0] = (struct range){ADDRESS, size};
    shared->bytes[0] = (uint8_t *)share->lanes;
    for (unsigned i = 0; i < QUEUES; i++) {
        share->kicks[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        share->calls[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (share->kicks[i] < 0 || share->calls[i] < 0) {
            fail_errno("make", "an eventfd");
        }
    }
}

static void describe(struct share *share, const char *tag)
{
    size_t length = strlen(tag);

    if (length == 0 || length > TAG_SIZE) {
        fail_start("'%s' is no name for a share: it takes 1 to %u characters", tag, TAG_SIZE);
    }
    memcpy(share->configuration.tag, tag, length);
    share->configuration.request_queues = QUEUES - 1;
    share->virtio.id = VIRTIO_ID_FILE_SYSTEM;
    share->virtio.queue_count = QUEUES;
    share->virtio.configuration = &share->configuration;
    share->virtio.configuration_size = sizeof(share->configuration);
    share->virtio.end = end;
    share->virtio.stop = stop;
    share->virtio.hurry = hurry;
}

void bounce_add_share(struct vhost_way *way, const char *tag)
{
    struct share *share = &shares[count++]; /* no more than the command line takes */
    const char *why;

    share->way = way;
    pthread_mutex_init(&share->lock, NULL);
    make_memory(share);
    if (!connect_once(share, &why)) {
        fail_start("%s cannot serve the share: %s", way->name, why);
    }
    describe(share, tag);
    virtio_add(&share->virtio);
    for (unsigned i = 0; i < QUEUES; i++) {
        share->workers[i] = (struct worker){.share = share, .queue = i};
        if (pthread_create(&share->workers[i].thread, NULL, run, &share->workers[i]) != 0) {
            fail_start("there is no thread for a share");
        }
    }
}

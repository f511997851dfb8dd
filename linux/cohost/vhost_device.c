/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's accesses to the registers come here; the queues are the back end's from the moment at
 * which the driver says that it is ready until it resets the device or stops the queue. A thread
 * passes on interrupts, and looks for the back end again when it is lost.
 */
#include "vhost_device.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mac.h"
#include "memory.h"
#include "now_ms.h"
#include "say.h"
#include "vhost_user.h"
#include "virtio_mmio.h"

enum { NET_QUEUES = 2, DISK_QUEUES = 1, FILE_SYSTEM_QUEUES = 2 };

#define BIT(n) (1ull << (n))
/*
 * Features that would need more of us: log and protocol (they are vhost's own), platform access,
 * packed rings, notification data, resets of a queue, and what a device does with more queues.
 */
#define NOT_OURS (BIT(26) | BIT(30) | BIT(33) | BIT(34) | BIT(37) | BIT(38) | BIT(40) | BIT(41))
#define NET_MAC BIT(5)
#define NET_NOT_OURS                                                                               \
    (BIT(2) | BIT(16) | BIT(17) | BIT(18) | BIT(19) | BIT(20) | BIT(21) | BIT(22) | BIT(23))
/* Besides more queues: without the indices that suppress notices, no request goes unseen. */
#define DISK_NOT_OURS (BIT(12) | BIT(29))
#define DISK_CONFIGURATION 60
#define DISK_HAS_MODE BIT(11)
#define DISK_MODE 32 /* in the configuration: whether writes may wait for a flush */
#define TAG_SIZE 36
/* Pauses before a back end is looked for again: longer ones if it is lost again and again. */
#define SHORT_PAUSE_MS 100
#define LONG_PAUSE_MS 1000
#define LONG_LIFE_MS 10000

struct served {
    struct virtio virtio;
    struct vhost vhost;
    struct vhost_way *way;
    uint64_t relied_on; /* features of the back end that were offered to the driver */
    bool started;
    bool lost;
    struct ring_watch watches[VIRTIO_MOST_QUEUES]; /* a disk's */
    int kicks[VIRTIO_MOST_QUEUES], calls[VIRTIO_MOST_QUEUES];
    pthread_t thread;
    union {
        uint8_t bytes[DISK_CONFIGURATION];
        uint8_t mac[MAC_SIZE];
        struct {
            char tag[TAG_SIZE];
            uint32_t request_queues;
        } file_system;
    } configuration;
};

static struct served all[VHOST_DEVICES_MOST];
static unsigned count;

static struct served *of(struct virtio *device)
{
    return (struct served *)device; /* its first member */
}

static void lose(struct served *served)
{
    if (!served->lost) {
        served->lost = true;
        shutdown(served->vhost.socket, SHUT_RDWR); /* the thread sees it */
        say("%s does not serve the guest's device any more: it is started again, or waited for",
            served->way->name);
    }
}

/* Starts a queue if the driver has it ready. One that is not in the guest's memory is not served.
 */
static bool start_queue(struct served *served, unsigned number)
{
    const struct virtio_queue *queue = &served->virtio.queues[number];
    const struct vhost_queue shown = {
        .size = queue->size,
        .next = queue->next,
        .descriptors = memory_at(queue->descriptors, ring_descriptors_size(queue)),
        .available = memory_at(queue->available, ring_available_size(queue)),
        .used = memory_at(queue->used, ring_used_size(queue)),
    };

    if (!queue->ready || shown.descriptors == NULL || shown.available == NULL ||
        shown.used == NULL) {
        return true;
    }
    return vhost_start_queue(&served->vhost, number, &shown, served->kicks[number],
                             served->calls[number]);
}

/* Has the back end begin, or go on behind what has been done. */
static void start_queues(struct served *served)
{
    struct virtio *device = &served->virtio;
    /* A driver may say that it takes more than it was offered. */
    bool good = vhost_set_features(&served->vhost, device->driver_features & device->features &
                                                       served->vhost.features);

    for (unsigned i = 0; good && i < device->queue_count; i++) {
        good = start_queue(served, i);
    }
    if (!good) {
        lose(served);
    }
}

static void begin(struct virtio *device)
{
    struct served *served = of(device);

    memset(served->watches, 0, sizeof(served->watches));
    served->started = true;
    if (!served->lost) {
        start_queues(served);
    }
}

static void stop(struct virtio *device, unsigned queue)
{
    struct served *served = of(device);

    if (served->started && !served->lost && device->queues[queue].ready &&
        !vhost_stop_queue(&served->vhost, queue)) {
        lose(served);
    }
}

static void end(struct virtio *device)
{
    for (unsigned i = 0; i < device->queue_count; i++) {
        stop(device, i);
    }
    of(device)->started = false;
}

static void watch(struct served *served, unsigned queue)
{
    if (served->virtio.id == VIRTIO_ID_DISK && served->started) {
        ring_watch(&served->virtio.queues[queue], &served->watches[queue]);
    }
}

static void kick(const struct served *served, unsigned queue)
{
    const uint64_t one = 1;

    (void)!write(served->kicks[queue], &one, sizeof(one));
}

static void notice(struct virtio *device, unsigned queue)
{
    watch(of(device), queue);
    kick(of(device), queue);
}

/* Passes on the interrupts, until the back end is gone. */
static void pass_calls(struct served *served)
{
    struct pollfd wait[VIRTIO_MOST_QUEUES + 1];
    unsigned queues = served->virtio.queue_count;

    do {
        bool called = false;

        for (unsigned i = 0; i < queues; i++) {
            wait[i] = (struct pollfd){served->calls[i], POLLIN, 0};
        }
        wait[queues] = (struct pollfd){served->vhost.socket, 0, 0};
        if (poll(wait, queues + 1, -1) < 0) {
            wait[queues].revents = 0;
            continue;
        }
        for (unsigned i = 0; i < queues; i++) {
            uint64_t number;

            if (wait[i].revents != 0 &&
                read(served->calls[i], &number, sizeof(number)) == sizeof(number)) {
                called = true;
                pthread_mutex_lock(&served->virtio.lock);
                watch(served, i);
                pthread_mutex_unlock(&served->virtio.lock);
            }
        }
        if (called) {
            virtio_interrupt(&served->virtio);
        }
    } while (wait[queues].revents == 0);
}

/*
 * Reads what disk it is. What a back end has told the guest to be written must not be lost with it,
 * as the metadata of an image would be that it keeps for later: where it can, it writes through.
 */
static bool open_disk(struct vhost *vhost, uint8_t *configuration)
{
    return ((vhost->features & DISK_HAS_MODE) == 0 ||
            vhost_write_configuration(vhost, DISK_MODE, 0)) &&
           vhost_read_configuration(vhost, configuration, DISK_CONFIGURATION);
}

/* Has the new back end go on where the one before was lost. */
static void go_on(struct served *served)
{
    struct virtio *device = &served->virtio;

    for (unsigned i = 0; served->started && i < device->queue_count; i++) {
        if (device->id == VIRTIO_ID_DISK) {
            ring_hand_over(&device->queues[i], &served->watches[i]);
        } else {
            ring_go_on(&device->queues[i]); /* these give requests back in their order */
        }
    }
    if (served->started) {
        start_queues(served);
    }
    for (unsigned i = 0; i < device->queue_count; i++) {
        kick(served, i); /* the notice before may have been lost */
    }
}

/* Whether the back end serves the device that the driver knows. */
static bool is_the_same(const struct served *served, struct vhost *vhost)
{
    uint8_t bytes[DISK_CONFIGURATION];

    return (served->relied_on & ~vhost->features) == 0 &&
           (served->virtio.id != VIRTIO_ID_DISK ||
            (open_disk(vhost, bytes) &&
             memcmp(bytes, served->configuration.bytes, sizeof(bytes)) == 0));
}

static bool connect_again(struct served *served)
{
    int socket = served->way->connect(served->way);
    struct vhost vhost;
    const char *why;

    if (socket < 0) {
        return false;
    }
    if (!vhost_open(&vhost, socket, &memory, &why) || !is_the_same(served, &vhost)) {
        close(socket);
        return false;
    }
    pthread_mutex_lock(&served->virtio.lock);
    close(served->vhost.socket);
    served->vhost = vhost;
    served->lost = false;
    say("%s serves the guest's device again", served->way->name);
    go_on(served);
    pthread_mutex_unlock(&served->virtio.lock);
    virtio_interrupt(&served->virtio); /* what it had done before was perhaps not told */
    return true;
}

static void *run(void *argument)
{
    struct served *served = argument;
    long pause = SHORT_PAUSE_MS;

    for (;;) {
        int64_t since = now_ms();

        pass_calls(served);
        pthread_mutex_lock(&served->virtio.lock);
        lose(served);
        pthread_mutex_unlock(&served->virtio.lock);
        if (now_ms() - since > LONG_LIFE_MS) {
            pause = SHORT_PAUSE_MS;
        }
        do {
            nanosleep(&(struct timespec){pause / 1000, pause % 1000 * 1000000}, NULL);
            pause = 2 * pause < LONG_PAUSE_MS ? 2 * pause : LONG_PAUSE_MS;
        } while (!connect_again(served));
    }
    return NULL;
}

static struct served *open_device(struct vhost_way *way)
{
    struct served *served = &all[count];
    const char *why;
    int socket;

    if (count == VHOST_DEVICES_MOST) {
        fail_start("a guest has at most %u devices that other processes serve", VHOST_DEVICES_MOST);
    }
    count++;
    served->way = way;
    socket = way->connect(way);
    if (socket < 0) {
        fail_start("%s does not serve the guest; is it installed, or running?", way->name);
    }
    if (!vhost_open(&served->vhost, socket, &memory, &why)) {
        fail_start("%s cannot serve the guest: %s", way->name, why);
    }
    if ((served->vhost.features & VIRTIO_F_VERSION_1) == 0) {
        fail_start("%s serves only drivers of old", way->name);
    }
    return served;
}

static void add(struct served *served, uint32_t id, unsigned queues, size_t configuration_size)
{
    struct virtio *device = &served->virtio;

    device->id = id;
    device->queue_count = queues;
    device->configuration = &served->configuration;
    device->configuration_size = configuration_size;
    device->begin = begin;
    device->end = end;
    device->stop = stop;
    device->notice = notice;
    served->relied_on = device->features & served->vhost.features;
    for (unsigned i = 0; i < queues; i++) {
        served->kicks[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        served->calls[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (served->kicks[i] < 0 || served->calls[i] < 0) {
            fail_errno("make", "an eventfd");
        }
    }
    virtio_add(device);
    if (pthread_create(&served->thread, NULL, run, served) != 0) {
        fail_start("there is no thread for %s", served->way->name);
    }
}

void vhost_add_disk(struct vhost_way *way)
{
    struct served *served = open_device(way);

    if (!open_disk(&served->vhost, served->configuration.bytes)) {
        fail_start("%s does not tell what disk it serves", way->name);
    }
    served->virtio.features = served->vhost.features & ~(NOT_OURS | DISK_NOT_OURS);
    add(served, VIRTIO_ID_DISK, DISK_QUEUES, DISK_CONFIGURATION);
}

void vhost_add_net(struct vhost_way *way, const char *guest)
{
    struct served *served = open_device(way);

    mac_make(guest, count + 0x100, served->configuration.mac);
    served->virtio.features = (served->vhost.features & ~(NOT_OURS | NET_NOT_OURS)) | NET_MAC;
    add(served, VIRTIO_ID_NET, NET_QUEUES, MAC_SIZE);
}

void vhost_add_share(struct vhost_way *way, const char *tag)
{
    struct served *served = open_device(way);
    size_t length = strlen(tag);

    if (length == 0 || length > TAG_SIZE) {
        fail_start("'%s' is no name for a share: it takes 1 to %u characters", tag, TAG_SIZE);
    }
    memcpy(served->configuration.file_system.tag, tag, length);
    served->configuration.file_system.request_queues = FILE_SYSTEM_QUEUES - 1;
    served->virtio.features = served->vhost.features & ~NOT_OURS;
    add(served, VIRTIO_ID_FILE_SYSTEM, FILE_SYSTEM_QUEUES,
        sizeof(served->configuration.file_system));
}

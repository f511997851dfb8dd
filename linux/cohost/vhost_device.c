/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's accesses to the registers come here; the queues are the back end's from the moment at
 * which the driver says that it is ready until it resets the device. A thread passes on interrupts.
 */
#include "vhost_device.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "mac.h"
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
#define DISK_NOT_OURS BIT(12)
#define DISK_CONFIGURATION 60
#define TAG_SIZE 36

struct served {
    struct virtio virtio;
    struct vhost vhost;
    const char *name;
    bool started;
    bool lost;
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
        say("%s does not serve the guest's device any more", served->name);
    }
}

static void begin(struct virtio *device)
{
    struct served *served = of(device);
    bool good = !served->lost && vhost_set_features(&served->vhost, device->driver_features &
                                                                        served->vhost.features);

    for (unsigned i = 0; good && i < device->queue_count; i++) {
        good = !device->queues[i].ready || vhost_start_queue(&served->vhost, i, &device->queues[i],
                                                             served->kicks[i], served->calls[i]);
    }
    served->started = true;
    if (!good) {
        lose(served);
    }
}

static void end(struct virtio *device)
{
    struct served *served = of(device);

    for (unsigned i = 0; served->started && i < device->queue_count; i++) {
        if (!served->lost && device->queues[i].ready && !vhost_stop_queue(&served->vhost, i)) {
            lose(served);
        }
    }
    served->started = false;
}

static void notice(struct virtio *device, unsigned queue)
{
    const uint64_t one = 1;

    (void)!write(of(device)->kicks[queue], &one, sizeof(one));
}

/* Passes on the interrupts, until the back end is gone. */
static void *run_calls(void *argument)
{
    struct served *served = argument;
    struct pollfd wait[VIRTIO_MOST_QUEUES + 1];
    unsigned queues = served->virtio.queue_count;

    for (;;) {
        bool called = false;

        for (unsigned i = 0; i < queues; i++) {
            wait[i] = (struct pollfd){served->calls[i], POLLIN, 0};
        }
        wait[queues] = (struct pollfd){served->vhost.socket, 0, 0};
        if (poll(wait, queues + 1, -1) < 0) {
            continue;
        }
        for (unsigned i = 0; i < queues; i++) {
            uint64_t number;

            called |= wait[i].revents != 0 &&
                      read(served->calls[i], &number, sizeof(number)) == sizeof(number);
        }
        if (called) {
            virtio_interrupt(&served->virtio);
        }
        if (wait[queues].revents != 0) {
            pthread_mutex_lock(&served->virtio.lock);
            lose(served);
            pthread_mutex_unlock(&served->virtio.lock);
            return NULL;
        }
    }
}

static struct served *open_device(const char *name, int socket)
{
    struct served *served = &all[count];
    const char *why;

    if (count == VHOST_DEVICES_MOST) {
        fail_start("a guest has at most %u devices that other processes serve", VHOST_DEVICES_MOST);
    }
    count++;
    served->name = name;
    if (!vhost_open(&served->vhost, socket, &why)) {
        fail_start("%s cannot serve the guest: %s", name, why);
    }
    if ((served->vhost.features & VIRTIO_F_VERSION_1) == 0) {
        fail_start("%s serves only drivers of old", name);
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
    device->notice = notice;
    for (unsigned i = 0; i < queues; i++) {
        served->kicks[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        served->calls[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (served->kicks[i] < 0 || served->calls[i] < 0) {
            fail_errno("make", "an eventfd");
        }
    }
    virtio_add(device);
    if (pthread_create(&served->thread, NULL, run_calls, served) != 0) {
        fail_start("there is no thread for %s", served->name);
    }
}

void vhost_add_disk(const char *name, int socket)
{
    struct served *served = open_device(name, socket);

    if (!vhost_read_configuration(&served->vhost, served->configuration.bytes,
                                  DISK_CONFIGURATION)) {
        fail_start("%s does not tell what disk it serves", name);
    }
    served->virtio.features = served->vhost.features & ~(NOT_OURS | DISK_NOT_OURS);
    add(served, VIRTIO_ID_DISK, DISK_QUEUES, DISK_CONFIGURATION);
}

void vhost_add_net(const char *name, int socket, const char *guest)
{
    struct served *served = open_device(name, socket);

    mac_make(guest, count + 0x100, served->configuration.mac);
    served->virtio.features = (served->vhost.features & ~(NOT_OURS | NET_NOT_OURS)) | NET_MAC;
    add(served, VIRTIO_ID_NET, NET_QUEUES, MAC_SIZE);
}

void vhost_add_share(const char *name, int socket, const char *tag)
{
    struct served *served = open_device(name, socket);
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

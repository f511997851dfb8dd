/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each card has a thread for each direction. Checksums and long TCP segments are left to whoever is
 * at the end: the header in front of a packet, which says so, is the same at a tap device and in
 * the rings. It passes as the driver has accepted it; the host's kernel checks it.
 */
#include "net.h"

#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "mac.h"
#include "machine.h"
#include "pieces.h"
#include "say.h"
#include "virtio_mmio.h"

/* Section 5.1.3. `GUEST`: what the driver takes; `HOST`: what it may send. */
#define FEATURE_CHECKSUM (1ull << 0)
#define FEATURE_GUEST_CHECKSUM (1ull << 1)
#define FEATURE_MAC (1ull << 5)
#define FEATURE_GUEST_TSO4 (1ull << 7)
#define FEATURE_GUEST_TSO6 (1ull << 8)
#define FEATURE_HOST_TSO4 (1ull << 11)
#define FEATURE_HOST_TSO6 (1ull << 12)
#define FEATURES_OFFLOAD                                                                           \
    (FEATURE_CHECKSUM | FEATURE_GUEST_CHECKSUM | FEATURE_GUEST_TSO4 | FEATURE_GUEST_TSO6 |         \
     FEATURE_HOST_TSO4 | FEATURE_HOST_TSO6)
#define MAC_OPTION ",mac="

enum { QUEUE_RECEIVE, QUEUE_TRANSMIT, QUEUE_COUNT };

/* Section 5.1.6. */
struct header {
    uint8_t flags, segmentation;
    uint16_t header_length, segment_size, checksum_start, checksum_offset;
    uint16_t buffers;
};

struct card {
    struct virtio virtio;
    uint8_t mac[MAC_SIZE];
    int tap;
    pthread_t threads[QUEUE_COUNT];
};

static struct card cards[NET_MOST];
static unsigned count;

static bool has(const struct card *card, uint64_t feature)
{
    return (card->virtio.driver_features & feature) != 0;
}

/* With the lock. What the driver takes, the host's kernel need not do. */
static void set_offloads(struct virtio *device)
{
    const struct card *card = (const struct card *)device; /* its first member */
    unsigned offloads = 0;

    if (has(card, FEATURE_GUEST_CHECKSUM)) {
        offloads = TUN_F_CSUM | (has(card, FEATURE_GUEST_TSO4) ? TUN_F_TSO4 : 0) |
                   (has(card, FEATURE_GUEST_TSO6) ? TUN_F_TSO6 : 0);
    }
    (void)ioctl(card->tap, TUNSETOFFLOAD, offloads);
}

/*
 * A packet that the tap device does not take now is lost, as on a wire. The header is read once:
 * the host's kernel checks what it is given.
 */
static void transmit(const struct card *card, struct virtio_request *request)
{
    struct iovec all[VIRTIO_QUEUE_SIZE + 1], *pieces = request->read;
    unsigned number = request->read_count;
    struct header header;

    if (pieces_get(pieces, number, &header, sizeof(header)) != sizeof(header)) {
        return;
    }
    if (!has(card, FEATURE_CHECKSUM)) {
        memset(&header, 0, sizeof(header));
    }
    pieces_skip(&pieces, &number, sizeof(header));
    if (number > 0) {
        all[0] = (struct iovec){&header, sizeof(header)};
        memcpy(all + 1, pieces, number * sizeof(*all));
        (void)!writev(card->tap, all, (int)number + 1);
    }
}

static void *run_transmitter(void *argument)
{
    struct card *card = argument;
    struct virtio_request request;

    for (;;) {
        virtio_take(&card->virtio, QUEUE_TRANSMIT, &request);
        transmit(card, &request);
        virtio_give_back(&card->virtio, QUEUE_TRANSMIT, &request, 0);
    }
    return NULL;
}

/* Returns the bytes written. None: the packet is gone, or it does not fit and is lost. */
static uint32_t receive(const struct card *card, const struct virtio_request *request)
{
    struct header header = {.buffers = 0};
    struct iovec all[VIRTIO_QUEUE_SIZE + 2], *pieces = all + 1;
    unsigned number = request->write_count;
    size_t room = pieces_size(request->write, number);
    ssize_t size;
    uint8_t rest;

    if (room < sizeof(header)) {
        return 0;
    }
    memcpy(pieces, request->write, number * sizeof(*all));
    pieces_skip(&pieces, &number, sizeof(header));
    *--pieces = (struct iovec){&header, sizeof(header)};
    number++;
    pieces[number] = (struct iovec){&rest, 1}; /* here it is seen that a packet does not fit */
    size = readv(card->tap, pieces, (int)number + 1);
    if (!has(card, FEATURE_GUEST_CHECKSUM)) {
        memset(&header, 0, sizeof(header));
    }
    header.buffers = 1;
    (void)pieces_put(request->write, request->write_count, &header, sizeof(header));
    return size > 0 && (size_t)size <= room ? (uint32_t)size : 0;
}

/* Waits for a packet. False: the tap device is gone. */
static bool wait_for_packet(const struct card *card)
{
    struct pollfd wait = {.fd = card->tap, .events = POLLIN};

    while (poll(&wait, 1, -1) < 0) {
    }
    return (wait.revents & POLLIN) != 0;
}

static void *run_receiver(void *argument)
{
    struct card *card = argument;
    struct virtio_request request;

    while (wait_for_packet(card)) {
        virtio_take(&card->virtio, QUEUE_RECEIVE, &request);
        virtio_give_back(&card->virtio, QUEUE_RECEIVE, &request, receive(card, &request));
    }
    say("a tap device of the guest is gone; its network card is unplugged");
    return NULL;
}

/* Splits off the options behind the tap device's name. */
static void read_description(struct card *card, char *text, const char *guest)
{
    char *option = strchr(text, ',');

    mac_make(guest, count, card->mac);
    if (option != NULL && (strncmp(option, MAC_OPTION, strlen(MAC_OPTION)) != 0 ||
                           !mac_read(option + strlen(MAC_OPTION), card->mac))) {
        fail_start("--net %s: behind the tap device can stand ,mac=02:00:00:00:00:01", text);
    }
    if (option != NULL) {
        *option = '\0';
    }
    if (text[0] == '\0' || strlen(text) >= IFNAMSIZ) {
        fail_start("--net: '%s' is no name of a tap device", text);
    }
}

void net_add(const char *description, const char *guest)
{
    struct card *card = &cards[count];
    char *name = strdup(description);

    if (name == NULL || count == NET_MOST) {
        fail_start("a guest has at most %u network cards", NET_MOST);
    }
    read_description(card, name, guest);
    card->tap = machine_open_tap(name);
    free(name);
    card->virtio.id = VIRTIO_ID_NET;
    card->virtio.features = FEATURE_MAC | FEATURES_OFFLOAD;
    card->virtio.queue_count = QUEUE_COUNT;
    card->virtio.configuration = card->mac;
    card->virtio.configuration_size = sizeof(card->mac);
    card->virtio.begin = set_offloads;
    virtio_add(&card->virtio);
    if (pthread_create(&card->threads[QUEUE_RECEIVE], NULL, run_receiver, card) != 0 ||
        pthread_create(&card->threads[QUEUE_TRANSMIT], NULL, run_transmitter, card) != 0) {
        fail_start("there is no thread for network card %s", description);
    }
    count++;
}

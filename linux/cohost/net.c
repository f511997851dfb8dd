/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each card has a thread for each direction. Nothing is offloaded: the header in front of a packet
 * says nothing, in either direction, and what the guest puts there is not looked at.
 */
#include "net.h"

#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "mac.h"
#include "machine.h"
#include "pieces.h"
#include "say.h"
#include "virtio_mmio.h"

#define FEATURE_MAC (1ull << 5)
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

/* A packet that the tap device does not take now is lost, as on a wire. */
static void transmit(const struct card *card, struct virtio_request *request)
{
    struct iovec *pieces = request->read;
    unsigned number = request->read_count;

    pieces_skip(&pieces, &number, sizeof(struct header));
    if (number > 0) {
        (void)!writev(card->tap, pieces, (int)number);
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
    static const struct header header = {.buffers = 1};
    struct iovec all[VIRTIO_QUEUE_SIZE + 1], *pieces = all;
    unsigned number = request->write_count;
    size_t room;
    ssize_t size;
    uint8_t rest;

    if (pieces_put(request->write, number, &header, sizeof(header)) != sizeof(header)) {
        return 0;
    }
    memcpy(all, request->write, number * sizeof(*all));
    pieces_skip(&pieces, &number, sizeof(header));
    room = pieces_size(pieces, number);
    pieces[number] = (struct iovec){&rest, 1}; /* here it is seen that a packet does not fit */
    size = readv(card->tap, pieces, (int)number + 1);
    return size > 0 && (size_t)size <= room ? (uint32_t)size + (uint32_t)sizeof(header) : 0;
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
    card->virtio.features = FEATURE_MAC;
    card->virtio.queue_count = QUEUE_COUNT;
    card->virtio.configuration = card->mac;
    card->virtio.configuration_size = sizeof(card->mac);
    virtio_add(&card->virtio);
    if (pthread_create(&card->threads[QUEUE_RECEIVE], NULL, run_receiver, card) != 0 ||
        pthread_create(&card->threads[QUEUE_TRANSMIT], NULL, run_transmitter, card) != 0) {
        fail_start("there is no thread for network card %s", description);
    }
    count++;
}

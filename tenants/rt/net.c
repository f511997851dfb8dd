/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/net.h"

#include <stddef.h>
#include <string.h>

/* Section 5.1.3. */
#define FEATURE_MAC (1u << 5)
#define FEATURE_STATUS (1u << 16)
/* Section 5.1.2. */
#define QUEUE_RECEIVE 0
#define QUEUE_TRANSMIT 1
#define QUEUES 2
/* Section 5.1.4, by words: the address, then the status. */
#define CONFIGURATION_WORD 4
#define STATUS_LINK_UP (1u << 16)
/* Section 5.1.6: struct virtio_net_hdr; the legacy one ends before num_buffers. */
#define HEADER_SIZE 12
#define LEGACY_HEADER_SIZE 10
/* Buffers that the device gets back at a time. */
#define BATCH (VIRTIO_QUEUE_SIZE / 2)

/* A frame with the header in front of it, which ends at `frame`. */
struct buffer {
    uint8_t header[18]; /* the frame is aligned as net_receive() promises */
    uint8_t frame[NET_FRAME_SIZE];
} __attribute__((aligned(8)));

static struct virtio_device net;
static struct virtio_queue queues[QUEUES];
static struct buffer receive[VIRTIO_QUEUE_SIZE];
static struct buffer transmit[VIRTIO_QUEUE_SIZE];
static uint8_t address[NET_ADDRESS_SIZE];
static int received;        /* the buffer that the caller looks at; -1: none */
static uint32_t given_back; /* buffers of which the device has not been told */

static uint32_t header_size(void)
{
    return net.legacy ? LEGACY_HEADER_SIZE : HEADER_SIZE;
}

/* Descriptors are given and taken one for one, so that a request's number is that of its buffer. */
static void give(struct virtio_queue *queue, struct buffer *buffer, uint32_t length, bool read)
{
    virtio_request(&net, queue, buffer->frame - header_size(), header_size() + length, read);
}

static void tell(void)
{
    virtio_notify(&net, &queues[QUEUE_RECEIVE]);
    given_back = 0;
}

bool net_start(void)
{
    uint32_t words[2];

    if (!virtio_find(&net, VIRTIO_ID_NET) ||
        !virtio_start(&net, queues, QUEUES, FEATURE_MAC | FEATURE_STATUS)) {
        return false;
    }
    words[0] = virtio_configuration(&net, 0);
    words[1] = virtio_configuration(&net, CONFIGURATION_WORD);
    memcpy(address, words, sizeof(address));
    virtio_want_interrupt(&queues[QUEUE_TRANSMIT], false);
    received = -1;
    for (int number = 0; number < VIRTIO_QUEUE_SIZE; number++) {
        give(&queues[QUEUE_RECEIVE], &receive[number], NET_FRAME_SIZE, false);
    }
    tell();
    return true;
}

uint32_t net_source(void)
{
    return net.source;
}

bool net_interrupt(void)
{
    return (virtio_acknowledge(&net) & VIRTIO_INTERRUPT_CONFIGURATION) != 0;
}

const uint8_t *net_address(void)
{
    return address;
}

bool net_has_link(void)
{
    return (virtio_configuration(&net, CONFIGURATION_WORD) & STATUS_LINK_UP) != 0;
}

const void *net_receive(uint32_t *length)
{
    struct virtio_queue *queue = &queues[QUEUE_RECEIVE];
    uint32_t written;

    if (received >= 0) {
        give(queue, &receive[received], NET_FRAME_SIZE, false);
        given_back++;
    }
    received = virtio_take(&net, queue, &written);
    if (given_back >= BATCH || (received < 0 && given_back != 0)) {
        tell();
    }
    if (received < 0) {
        return NULL;
    }
    *length = written > header_size() ? written - header_size() : 0;
    return receive[received].frame;
}

void net_want_interrupt(bool wanted)
{
    virtio_want_interrupt(&queues[QUEUE_RECEIVE], wanted);
}

/* A free buffer to send from; -1: the device has all of them. */
static int free_buffer(struct virtio_queue *queue)
{
    uint32_t length;

    while (virtio_take(&net, queue, &length) >= 0) {
    }
    return virtio_free_request(queue);
}

bool net_send(const void *frame, uint32_t length)
{
    struct virtio_queue *queue = &queues[QUEUE_TRANSMIT];
    int number = free_buffer(queue);

    if (number < 0) {
        virtio_want_interrupt(queue, true);
        number = free_buffer(queue);
    }
    if (number < 0 || length > NET_FRAME_SIZE) {
        return false;
    }
    virtio_want_interrupt(queue, false);
    memcpy(transmit[number].frame, frame, length);
    give(queue, &transmit[number], length, true);
    virtio_notify(&net, queue);
    return true;
}

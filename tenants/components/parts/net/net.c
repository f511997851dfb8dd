/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One component uses it, by one thread at a time. What the device shares with us is not cleared by
 * a restart, and start() resets the device before it touches that.
 */
#include <string.h>

#include "components/lib/network.h"
#include "components/lib/scheduling.h"
#include "generated.h"
#include "rt/platform.h"
#include "rt/virtio_mmio.h"

/* Section 5.1.3. */
#define FEATURE_MAC (1u << 5)
/* Section 5.1.2. */
#define QUEUE_RECEIVE 0
#define QUEUE_TRANSMIT 1
#define QUEUES 2
/* Section 5.1.6: struct virtio_net_hdr; the legacy one ends before num_buffers. */
#define HEADER_SIZE 12
#define LEGACY_HEADER_SIZE 10

#define INTERRUPT (INTERRUPT_DEVICES + COMPONENT_ID)

/* A frame with the header in front of it, which ends at `frame`. */
struct buffer {
    uint8_t header[18]; /* the frame lies 2 bytes behind a multiple of 8 */
    uint8_t frame[FRAME_SIZE];
} __attribute__((aligned(8)));

/* Of which rt/virtio_mmio.c wants to know the length of a microsecond. */
struct platform platform;

static struct virtio_device device;
static bool is_started;
static bool is_masked; /* its interrupt may have come: it does not come again before unmasked */
static BUFFER struct virtio_queue queues[QUEUES];
static BUFFER struct buffer receive[VIRTIO_QUEUE_SIZE];
static BUFFER struct buffer transmit[VIRTIO_QUEUE_SIZE];

static uint32_t header_size(void)
{
    return device.legacy ? LEGACY_HEADER_SIZE : HEADER_SIZE;
}

/* Descriptors are given and taken one for one, so that a request's number is that of its buffer. */
static void give(struct virtio_queue *queue, struct buffer *buffer, uint32_t length, bool read)
{
    uint8_t *start = buffer->frame - header_size();

    virtio_request(&device, queue, start + device.distance, header_size() + length, read);
}

/* 1: the device is ready for use, afresh; 0: there is none, or it refuses. */
uint64_t export_start(void)
{
    struct result distance = kernel_call(CALL_DISTANCE, 0, 0, 0);

    is_started = false;
    is_masked = true;
    if (distance.error != OK) {
        return 0;
    }
    platform.timebase_hz = argument("timebase-hz");
    device.base = COMPONENT_BASE + COMPONENT_ID * COMPONENT_SIZE + DEVICE_OFFSET;
    device.distance = distance.value;
    if (!virtio_probe(&device, VIRTIO_ID_NET) ||
        !virtio_start(&device, queues, QUEUES, FEATURE_MAC)) {
        return 0;
    }
    virtio_want_interrupt(&queues[QUEUE_TRANSMIT], false);
    for (int number = 0; number < VIRTIO_QUEUE_SIZE; number++) {
        give(&queues[QUEUE_RECEIVE], &receive[number], FRAME_SIZE, false);
    }
    virtio_notify(&device, &queues[QUEUE_RECEIVE]);
    is_started = true;
    return 1;
}

/* The device's own address, its first byte the lowest. */
uint64_t export_address(void)
{
    uint64_t high;

    if (!is_started) {
        return 0;
    }
    high = virtio_configuration(&device, 4) & 0xffff;
    return high << 32 | virtio_configuration(&device, 0);
}

/*
 * Waits until a frame has come, somebody wakes the thread, or the time `until` has come. The wait
 * also unmasks the interrupt: a frame that comes between the look at the queue and the wait raises
 * it, for the device was told before that the last one has been seen.
 */
uint64_t export_wait(uint64_t until)
{
    if (!is_started) {
        return NETWORK_FAILED;
    }
    if (is_masked) {
        virtio_acknowledge(&device);
    }
    if (!virtio_has_result(&queues[QUEUE_RECEIVE])) {
        struct result result = component_invoke(CALL_EVENT, SCHEDULE_WAIT, until, INTERRUPT, 0,
                                                is_masked ? INTERRUPT : 0, 0);

        is_masked = result.error != OK || result.value != SCHEDULE_WOKEN;
    }
    return 0;
}

/* The next frame goes to `address`, FRAME_SIZE bytes that the caller lends. Its length; 0: none. */
uint64_t export_receive(uint64_t address)
{
    struct virtio_queue *queue = &queues[QUEUE_RECEIVE];
    uint32_t written;
    uint32_t length = 0;
    int number;

    if (!is_started || device.failed) {
        return NETWORK_FAILED;
    }
    number = virtio_take(&device, queue, &written);
    if (number < 0) {
        return device.failed ? NETWORK_FAILED : 0;
    }
    if (written > header_size() &&
        copy_to_lent(address, receive[number].frame, written - header_size())) {
        length = written - header_size();
    }
    give(queue, &receive[number], FRAME_SIZE, false);
    virtio_notify(&device, queue);
    return length;
}

/* Sends a copy of the frame at `address`, which the caller lends. 1; 0: there is no room. */
uint64_t export_send(uint64_t address, uint64_t length)
{
    struct virtio_queue *queue = &queues[QUEUE_TRANSMIT];
    uint32_t written;
    int number;

    if (!is_started || device.failed) {
        return NETWORK_FAILED;
    }
    while (virtio_take(&device, queue, &written) >= 0) {
    }
    number = virtio_free_request(queue);
    if (number < 0 || length > FRAME_SIZE ||
        !copy_from_lent(transmit[number].frame, address, length)) {
        return 0;
    }
    memset(transmit[number].header, 0, sizeof(transmit[number].header));
    give(queue, &transmit[number], (uint32_t)length, true);
    virtio_notify(&device, queue);
    return 1;
}

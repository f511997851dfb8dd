/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include <stddef.h>
#include <string.h>

#include "components/lib/scheduling.h"
#include "generated.h"
#include "rt/platform.h"
#include "rt/virtio_mmio.h"

#define FEATURE_MULTIPORT 0x2
/* Section 5.3.2: of port 0, and of control messages. */
#define QUEUE_RECEIVE 0
#define QUEUE_TRANSMIT 1
#define QUEUE_CONTROL_IN 2
#define QUEUE_CONTROL_OUT 3
#define QUEUES 4
#define PORT 0
/* Section 5.3.6.2. */
#define EVENT_DEVICE_READY 0
#define EVENT_DEVICE_ADD 1
#define EVENT_PORT_READY 3
#define EVENT_PORT_OPEN 6

#define BUFFER_SIZE 512
#define INTERRUPT (INTERRUPT_DEVICES + COMPONENT_ID)

struct control {
    uint32_t port;
    uint16_t event;
    uint16_t value;
    char name[32];
};

/* Of which rt/virtio_mmio.c wants to know the length of a microsecond. */
struct platform platform;

static struct virtio_device device;
static bool is_open;
static bool is_masked;    /* the interrupt, or it may be */
static int received = -1; /* the buffer that is being read; -1: none */
static uint32_t length;   /* how much is in it, and how much of that was taken */
static uint32_t taken;
static BUFFER struct virtio_queue queues[QUEUES];
static BUFFER uint8_t receive[VIRTIO_QUEUE_SIZE][BUFFER_SIZE];
static BUFFER uint8_t transmit[VIRTIO_QUEUE_SIZE][BUFFER_SIZE];
static BUFFER struct control control_in[VIRTIO_QUEUE_SIZE];
static BUFFER struct control control_out[VIRTIO_QUEUE_SIZE];

/* Descriptors are given and taken one for one, so that a request's number is that of its buffer. */
static void give(unsigned queue, void *buffer, uint32_t size, bool read)
{
    virtio_request(&device, &queues[queue], (uint8_t *)buffer + device.distance, size, read);
}

/* A free request of a queue to send by; -1: the device has all of them. */
static int free_request(unsigned queue)
{
    uint32_t written;

    while (virtio_take(&device, &queues[queue], &written) >= 0) {
    }
    return virtio_free_request(&queues[queue]);
}

static void tell(uint16_t event, uint16_t value)
{
    int number = free_request(QUEUE_CONTROL_OUT);

    if (number < 0) {
        return;
    }
    control_out[number] = (struct control){.port = PORT, .event = event, .value = value};
    give(QUEUE_CONTROL_OUT, &control_out[number], offsetof(struct control, name), true);
    virtio_notify(&device, &queues[QUEUE_CONTROL_OUT]);
}

static void open_port(void)
{
    for (int number = 0; number < VIRTIO_QUEUE_SIZE; number++) {
        give(QUEUE_RECEIVE, receive[number], BUFFER_SIZE, false);
    }
    virtio_notify(&device, &queues[QUEUE_RECEIVE]);
    tell(EVENT_PORT_READY, 1);
    tell(EVENT_PORT_OPEN, 1);
}

static void take_control(const struct control *message, uint32_t size)
{
    if (size < offsetof(struct control, name) || message->port != PORT) {
        return;
    }
    if (message->event == EVENT_DEVICE_ADD && queues[QUEUE_RECEIVE].in_flight == 0) {
        open_port();
    } else if (message->event == EVENT_PORT_OPEN) {
        is_open = message->value != 0;
    }
}

/* Control messages that have come. Apart, for most often there are none. */
static __attribute__((noinline)) void serve(void)
{
    uint32_t size;

    for (int number = virtio_take(&device, &queues[QUEUE_CONTROL_IN], &size); number >= 0;
         number = virtio_take(&device, &queues[QUEUE_CONTROL_IN], &size)) {
        take_control(&control_in[number], size);
        give(QUEUE_CONTROL_IN, &control_in[number], sizeof(control_in[number]), false);
        virtio_notify(&device, &queues[QUEUE_CONTROL_IN]);
    }
}

bool stream_start(struct stream_window *window)
{
    const uint64_t base = COMPONENT_BASE + COMPONENT_ID * COMPONENT_SIZE;
    struct answer distance = component_ecall(CALL_DISTANCE, 0, 0, 0, 0, 0, 0);

    if (distance.word[0] != OK) {
        return false;
    }
    window->bytes = (void *)(base + WINDOW_OFFSET);
    window->size = distance.word[2];
    window->end = (unsigned)distance.word[3];
    window->doorbell = (volatile uint32_t *)(base + DOORBELL_OFFSET + distance.word[4]);
    platform.timebase_hz = argument("timebase-hz");
    device.base = base + DEVICE_OFFSET;
    device.distance = distance.word[1];
    is_open = false;
    is_masked = true;
    received = -1;
    if (!virtio_probe(&device, VIRTIO_ID_CONSOLE) ||
        !virtio_start(&device, queues, QUEUES, FEATURE_MULTIPORT)) {
        return false;
    }
    virtio_want_interrupt(&queues[QUEUE_CONTROL_OUT], false);
    virtio_want_interrupt(&queues[QUEUE_TRANSMIT], false);
    for (int number = 0; number < VIRTIO_QUEUE_SIZE; number++) {
        give(QUEUE_CONTROL_IN, &control_in[number], sizeof(control_in[number]), false);
    }
    virtio_notify(&device, &queues[QUEUE_CONTROL_IN]);
    tell(EVENT_DEVICE_READY, 1);
    return true;
}

bool stream_is_open(void)
{
    if (virtio_has_result(&queues[QUEUE_CONTROL_IN])) {
        serve();
    }
    return is_open && !device.failed;
}

bool stream_has_failed(void)
{
    return device.failed;
}

uint32_t stream_read(void *bytes, uint32_t size)
{
    uint32_t count;

    if (received < 0 && virtio_has_result(&queues[QUEUE_RECEIVE])) {
        received = virtio_take(&device, &queues[QUEUE_RECEIVE], &length);
        taken = 0;
    }
    if (received < 0) {
        return 0;
    }
    count = length - taken < size ? length - taken : size;
    memcpy(bytes, receive[received] + taken, count);
    taken += count;
    if (taken == length) {
        give(QUEUE_RECEIVE, receive[received], BUFFER_SIZE, false);
        virtio_notify(&device, &queues[QUEUE_RECEIVE]);
        received = -1;
    }
    return count;
}

uint32_t stream_write(const void *bytes, uint32_t size)
{
    uint32_t done = 0;

    while (done < size) {
        uint32_t count = size - done < BUFFER_SIZE ? size - done : BUFFER_SIZE;
        int number = free_request(QUEUE_TRANSMIT);

        if (number < 0) {
            break;
        }
        memcpy(transmit[number], (const uint8_t *)bytes + done, count);
        give(QUEUE_TRANSMIT, transmit[number], count, true);
        virtio_notify(&device, &queues[QUEUE_TRANSMIT]);
        done += count;
    }
    return done;
}

void stream_wait(uint64_t end, uint64_t *wake)
{
    if (is_masked) {
        virtio_quiet(&device);
    }
    if (!virtio_has_result(&queues[QUEUE_RECEIVE]) &&
        !virtio_has_result(&queues[QUEUE_CONTROL_IN])) {
        struct result result = component_invoke(CALL_EVENT, SCHEDULE_WAIT, end, INTERRUPT, *wake,
                                                is_masked ? INTERRUPT : 0, 0);

        is_masked = result.error != OK || result.value != SCHEDULE_WOKEN;
        *wake = result.error == OK ? 0 : *wake;
    }
}

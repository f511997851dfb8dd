/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/channel.h"

#include <stddef.h>
#include <string.h>

#include "rt/platform.h"

#define FEATURE_MULTIPORT 0x2
/* Section 5.3.4: the offset of max_nr_ports. */
#define CONFIGURATION_PORTS 4
/* Section 5.3.2. */
#define CONTROL_IN 2
#define CONTROL_OUT 3
#define QUEUES (2 * (CHANNEL_LIMIT + 1))

/* Section 5.3.6.2. */
#define EVENT_DEVICE_READY 0
#define EVENT_DEVICE_ADD 1
#define EVENT_PORT_READY 3
#define EVENT_PORT_OPEN 6
#define EVENT_PORT_NAME 7

/* A device answers at once; whoever emulates its hart may not. */
#define ANSWER_MICROSECONDS 2000000

struct message {
    uint32_t port;
    uint16_t event;
    uint16_t value;
    char name[CHANNEL_NAME_SIZE];
};

static struct virtio_device console;
static struct virtio_queue queues[QUEUES];
static struct channel channels[CHANNEL_LIMIT];
static uint32_t channel_count;
static struct message messages_in[VIRTIO_QUEUE_SIZE];
static struct message messages_out[VIRTIO_QUEUE_SIZE];

static struct virtio_queue *receive_queue(const struct channel *channel)
{
    return &queues[channel->number == 0 ? 0 : 2 * channel->number + 2];
}

static struct virtio_queue *transmit_queue(const struct channel *channel)
{
    return receive_queue(channel) + 1;
}

/* A message that finds no room is lost with the device: it takes each of them at once. */
static void tell(uint32_t port, uint16_t event, uint16_t value)
{
    struct virtio_queue *queue = &queues[CONTROL_OUT];
    struct message *message = &messages_out[queue->added % VIRTIO_QUEUE_SIZE];
    uint32_t length;

    while (virtio_take(&console, queue, &length) >= 0) {
    }
    *message = (struct message){.port = port, .event = event, .value = value};
    virtio_request(&console, queue, message, offsetof(struct message, name), true);
    virtio_notify(&console, queue);
}

/* Gives buffer `number` of the channel to the device: one that it has just returned, so that it is
 * the number of the request too. */
static void offer(struct channel *channel, int number)
{
    virtio_request(&console, receive_queue(channel), channel->receive[number], CHANNEL_RECEIVE_SIZE,
                   false);
}

static void add(struct channel *channel)
{
    channel->received = -1;
    for (int number = 0; number < VIRTIO_QUEUE_SIZE; number++) {
        offer(channel, number);
    }
    virtio_notify(&console, receive_queue(channel));
    virtio_want_interrupt(transmit_queue(channel), false);
    tell(channel->number, EVENT_PORT_READY, 1);
}

static void take_message(const struct message *message, uint32_t length)
{
    struct channel *channel;

    if (length < offsetof(struct message, name) || message->port >= channel_count) {
        return;
    }
    channel = &channels[message->port];
    switch (message->event) {
    case EVENT_DEVICE_ADD:
        add(channel);
        break;
    case EVENT_PORT_NAME:
        length -= offsetof(struct message, name);
        memcpy(channel->name, message->name, length);
        channel->name[length < CHANNEL_NAME_SIZE ? length : CHANNEL_NAME_SIZE - 1] = '\0';
        break;
    case EVENT_PORT_OPEN:
        channel->connected = message->value != 0;
        break;
    default:
        break;
    }
}

/* The device has something to say. */
static void __attribute__((noinline)) take_messages(void)
{
    uint32_t length;

    for (int number = virtio_take(&console, &queues[CONTROL_IN], &length); number >= 0;
         number = virtio_take(&console, &queues[CONTROL_IN], &length)) {
        take_message(&messages_in[number], length);
        virtio_request(&console, &queues[CONTROL_IN], &messages_in[number], sizeof(struct message),
                       false);
    }
    virtio_notify(&console, &queues[CONTROL_IN]);
}

static void serve(void)
{
    if (virtio_has_result(&queues[CONTROL_IN])) {
        take_messages();
    }
}

static bool are_all_named(void)
{
    for (uint32_t i = 0; i < channel_count; i++) {
        if (channels[i].name[0] == '\0') {
            return false;
        }
    }
    return true;
}

bool channels_start(void)
{
    uint64_t end = clock_now() + clock_ticks(ANSWER_MICROSECONDS);

    memset(channels, 0, sizeof(channels));
    for (uint32_t i = 0; i < CHANNEL_LIMIT; i++) {
        channels[i].number = i;
    }
    if (!virtio_find(&console, VIRTIO_ID_CONSOLE)) {
        return false;
    }
    channel_count = virtio_configuration(&console, CONFIGURATION_PORTS);
    if (channel_count > CHANNEL_LIMIT) {
        channel_count = CHANNEL_LIMIT;
    }
    if (!virtio_start(&console, queues, 2 * (channel_count + 1), FEATURE_MULTIPORT)) {
        return false;
    }
    virtio_want_interrupt(&queues[CONTROL_OUT], false);
    for (int number = 0; number < VIRTIO_QUEUE_SIZE; number++) {
        virtio_request(&console, &queues[CONTROL_IN], &messages_in[number], sizeof(struct message),
                       false);
    }
    virtio_notify(&console, &queues[CONTROL_IN]);
    tell(0, EVENT_DEVICE_READY, 1);
    while (!are_all_named() && clock_now() < end) {
        serve();
    }
    return are_all_named();
}

uint32_t channels_source(void)
{
    return console.source;
}

void channels_interrupt(void)
{
    virtio_quiet(&console);
}

struct channel *channel_open(const char *name)
{
    for (uint32_t i = 0; i < channel_count; i++) {
        if (strcmp(channels[i].name, name) == 0) {
            tell(i, EVENT_PORT_OPEN, 1);
            return &channels[i];
        }
    }
    return NULL;
}

void channel_close(struct channel *channel)
{
    tell(channel->number, EVENT_PORT_OPEN, 0);
}

bool channel_is_connected(struct channel *channel)
{
    serve();
    return channel->connected;
}

uint32_t channel_read(struct channel *channel, void *bytes, uint32_t size)
{
    struct virtio_queue *queue = receive_queue(channel);
    uint32_t count;

    serve();
    if (channel->received < 0) {
        channel->received = virtio_take(&console, queue, &channel->length);
        channel->taken = 0;
        if (channel->received < 0) {
            return 0;
        }
    }
    count = channel->length - channel->taken;
    count = count < size ? count : size;
    memcpy(bytes, channel->receive[channel->received] + channel->taken, count);
    channel->taken += count;
    if (channel->taken == channel->length) {
        offer(channel, channel->received);
        virtio_notify(&console, queue);
        channel->received = -1;
    }
    return count;
}

/* A free buffer of those to send from; -1: the device has all of them. */
static int free_buffer(struct virtio_queue *queue)
{
    uint32_t length;

    while (virtio_has_result(queue) && virtio_take(&console, queue, &length) >= 0) {
    }
    return virtio_free_request(queue);
}

uint32_t channel_write(struct channel *channel, const void *bytes, uint32_t size, bool wait)
{
    struct virtio_queue *queue = transmit_queue(channel);
    const uint8_t *next = bytes;
    uint32_t left = size;

    serve();
    while (left > 0) {
        uint32_t count = left < CHANNEL_BUFFER_SIZE ? left : CHANNEL_BUFFER_SIZE;
        int number = free_buffer(queue);

        if (number < 0 && wait) {
            virtio_want_interrupt(queue, true);
            number = free_buffer(queue);
        }
        if (number < 0) {
            break;
        }
        virtio_want_interrupt(queue, false);
        memcpy(channel->transmit[number], next, count);
        virtio_request(&console, queue, channel->transmit[number], count, true);
        virtio_notify(&console, queue);
        next += count;
        left -= count;
    }
    return size - left;
}

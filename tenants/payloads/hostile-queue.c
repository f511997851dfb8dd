/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ends of a network or of sockets that together try to have another tenant's memory written:
 * the sender takes its transmit queue away while a message of it waits, says that the queue is in
 * the other tenant's memory, and the receiver lets the message go on by a buffer or by a reset. The
 * third role is the other tenant's: it looks at its memory all the time.
 *
 * Arguments: role=sender|receiver|victim   rounds=N  (default 50)
 *            device=N                      virtio's number: 1 network, 19 sockets
 *            victim=A                      the page that a victim watches and a sender aims at
 */
#include <string.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/virtio_mmio.h"

#define QUEUE_SELECT 0x30
#define QUEUE_SIZE 0x38
#define QUEUE_READY 0x44
#define QUEUE_PARTS 0x80 /* of the descriptors, and the two rings behind */
#define PART_SIZE 0x10
#define PART_DISTANCE 1024

#define RECEIVE 0
#define TRANSMIT 1
#define MOST_QUEUES 3
#define MESSAGE_SIZE 128
/* Section 5.10.6: the two addresses in front, and the length behind the ports. */
#define PACKET_HEADER 44
#define PACKET_LENGTH 24
#define CIDS 7 /* what the addresses of the two ends differ in */

/* The receiver works so long without a buffer, and so long with one; a round of the sender's is
 * longer than both. */
#define WITHOUT_US 7000
#define WITH_US 3000
#define ROUND_US 19000

#define PATTERN 0x5a5a5a5a5a5a5a5aul
#define PAGE_WORDS 512

const char payload_name[] = "hostile-queue";

static struct virtio_device device;
static struct virtio_queue queues[MOST_QUEUES];
static uint8_t message[MESSAGE_SIZE];
static uint8_t buffer[2048];

static void store(uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(device.base + offset) = value;
}

static void make_message(void)
{
    uint64_t source = virtio_configuration(&device, 0);
    uint64_t destination = source ^ CIDS;
    uint32_t length = MESSAGE_SIZE - PACKET_HEADER;

    memset(message, 0xff, sizeof(message)); /* a frame: to all */
    if (platform_number("device", VIRTIO_ID_NET) != VIRTIO_ID_NET) {
        memcpy(message, &source, sizeof(source));
        memcpy(message + sizeof(source), &destination, sizeof(destination));
        memcpy(message + PACKET_LENGTH, &length, sizeof(length));
    }
}

static void start(void)
{
    uint32_t count = platform_number("device", VIRTIO_ID_NET) == VIRTIO_ID_NET ? 2 : 3;

    check(virtio_start(&device, queues, count, 0), "the device does not start");
}

/* Everything that a driver says of a queue. */
static void claim_to_be_at(uint64_t address)
{
    store(QUEUE_SELECT, TRANSMIT);
    store(QUEUE_READY, 0);
    store(QUEUE_SIZE, VIRTIO_QUEUE_SIZE);
    for (uint32_t part = 0; part < 3; part++) {
        uint64_t place = address + (uint64_t)part * PART_DISTANCE;

        store(QUEUE_PARTS + part * PART_SIZE, (uint32_t)place);
        store(QUEUE_PARTS + part * PART_SIZE + 4, (uint32_t)(place >> 32));
    }
}

static void send(uint64_t victim)
{
    start();
    make_message();
    (void)virtio_request(&device, &queues[TRANSMIT], message, sizeof(message), true);
    virtio_notify(&device, &queues[TRANSMIT]);
    claim_to_be_at(victim);
    clock_sleep(ROUND_US);
}

static void receive(bool gives)
{
    start();
    clock_sleep(WITHOUT_US);
    if (gives) {
        (void)virtio_request(&device, &queues[RECEIVE], buffer, sizeof(buffer), false);
        virtio_notify(&device, &queues[RECEIVE]);
        clock_sleep(WITH_US);
    }
}

static void watch(uint64_t victim, uint64_t rounds)
{
    volatile uint64_t *words = (volatile uint64_t *)victim;

    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        words[i] = PATTERN;
    }
    while (rounds-- > 0) {
        clock_sleep(ROUND_US);
        for (unsigned i = 0; i < PAGE_WORDS; i++) {
            check(words[i] == PATTERN, "word %u of the page is 0x%lx", i, words[i]);
        }
    }
}

void main(void)
{
    uint64_t victim = platform_number("victim", 0);
    uint64_t rounds = platform_number("rounds", 50);
    char role[16];

    platform_word("role", "sender", role, sizeof(role));
    if (strcmp(role, "victim") == 0) {
        watch(victim, rounds);
        check_pass();
    }
    check(virtio_find(&device, (uint32_t)platform_number("device", VIRTIO_ID_NET)),
          "there is no such device");
    for (uint64_t round = 0;; round++) {
        if (strcmp(role, "sender") == 0) {
            send(victim);
        } else {
            receive(round % 2 == 0);
        }
    }
}

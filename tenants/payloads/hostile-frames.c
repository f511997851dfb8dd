/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sender that makes frames available which need no buffer of the receiver's, as it is the one
 * that they are for, and lets the receiver's stores find them: it never notifies. The receiver, the
 * other end of the cable, measures what its own notifications take.
 *
 * Arguments: role=sender|receiver   rounds=N  (default 50)
 */
#include <string.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/virtio_mmio.h"

#define QUEUE_NOTIFY 0x50
#define RECEIVE 0
#define TRANSMIT 1
#define QUEUES 2
#define HEADER_SIZE 12
#define ADDRESS_SIZE 6
#define FRAME_SIZE 72
/* Rounds that are not measured: what the receiver once has time for is done in them. */
#define FIRST_ROUNDS 10
#define SENDER_US 500
#define RECEIVER_US 2000

const char payload_name[] = "hostile-frames";

static struct virtio_device device;
static struct virtio_queue queues[QUEUES];
static uint8_t frame[FRAME_SIZE];
static uint8_t buffer[2048];

static void send(void)
{
    uint32_t words[2] = {virtio_configuration(&device, 0), virtio_configuration(&device, 4)};
    uint32_t length;

    memcpy(frame + HEADER_SIZE, words, ADDRESS_SIZE);
    for (;;) {
        while (virtio_take(&device, &queues[TRANSMIT], &length) >= 0) {
        }
        while (virtio_request(&device, &queues[TRANSMIT], frame, sizeof(frame), true) >= 0) {
        }
        clock_sleep(SENDER_US);
    }
}

static void receive(uint64_t rounds)
{
    volatile uint32_t *notify = (volatile uint32_t *)(device.base + QUEUE_NOTIFY);
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    (void)virtio_request(&device, &queues[RECEIVE], buffer, sizeof(buffer), false);
    for (uint64_t round = 0; round < rounds + FIRST_ROUNDS; round++) {
        uint64_t before;
        uint64_t ticks;

        clock_sleep(RECEIVER_US);
        before = clock_now();
        *notify = RECEIVE;
        ticks = clock_now() - before;
        if (round >= FIRST_ROUNDS) {
            least = ticks < least ? ticks : least;
            most = ticks > most ? ticks : most;
        }
    }
    print("hostile-frames: ticks least=%lu most=%lu\n", least, most);
    check_pass();
}

void main(void)
{
    char role[16];

    platform_word("role", "sender", role, sizeof(role));
    check(virtio_find(&device, VIRTIO_ID_NET), "there is no network device");
    check(virtio_start(&device, queues, QUEUES, 0), "the device does not start");
    if (strcmp(role, "sender") == 0) {
        send();
    }
    receive(platform_number("rounds", 50));
}

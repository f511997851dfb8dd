/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What it costs to send a frame over a net: sends frames of some sizes to a tenant that does not
 * run meanwhile, and prints for each the fewest cycles of all of it, and of the store that
 * notifies:
 *
 *   cost: size=60 cycles=2400 notify=2200
 *
 * Arguments: sink=1   instead: is that other tenant, which takes what has come once a second
 */
#include "bench/timed_notify.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/net.c"
#include "rt/platform.h"

/* Frames in a row: the other end has at least so many buffers. */
#define ROW 8
#define ROUNDS 3
#define SINK_PAUSE_US 1000000

const char payload_name[] = "bench-net";

static void measure(uint32_t size)
{
    /* To all, and aligned as an IP stack aligns its frames. */
    static const struct {
        uint8_t padding[2];
        uint8_t frame[NET_FRAME_SIZE];
    } sent __attribute__((aligned(8))) = {.frame = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    uint64_t least = UINT64_MAX;
    uint64_t least_notify = UINT64_MAX;

    for (unsigned round = 0; round < ROUNDS; round++) {
        clock_sleep(2 * SINK_PAUSE_US); /* the sink takes what came */
        for (unsigned n = 0; n < ROW; n++) {
            uint64_t before = csr_read(cycle);
            bool is_sent = net_send(sent.frame, size);
            uint64_t cost = csr_read(cycle) - before;

            check(is_sent, "there is no room for a frame");
            least = cost < least ? cost : least;
            least_notify = notify_cycles < least_notify ? notify_cycles : least_notify;
        }
    }
    print("cost: size=%u cycles=%lu notify=%lu\n", size, least, least_notify);
}

static void drain(void)
{
    uint32_t length;

    for (;;) {
        while (net_receive(&length) != NULL) {
        }
        clock_sleep(SINK_PAUSE_US);
    }
}

void main(void)
{
    static const uint32_t sizes[] = {60, 298, 1066, NET_FRAME_SIZE};

    check(net_start(), "there is no network device");
    if (platform_number("sink", 0) != 0) {
        drain();
    }
    while (!net_has_link()) {
        clock_sleep(SINK_PAUSE_US);
    }
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        measure(sizes[i]);
    }
    print("cost: end\n");
    check_pass();
}

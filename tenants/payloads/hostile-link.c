/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver whose device comes and goes as fast as it can, and every other time so slowly that the
 * monitor has told of it meanwhile, so that the other end of the cable has a link and has none; and
 * that other end, which counts how often it is told in a second, lets the first one come to rest
 * for a while, and then has to know how it is.
 *
 * Arguments: role=flapper|counter
 *            most=N   (default 110)   times in the second that the counter puts up with
 */
#include <string.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/net.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/trap.h"

#define QUEUES 2
#define STATUS 0x70 /* virtio 1.2, section 4.2.2 */
#define PRIORITY 1
#define SECOND_US 1000000
/* The flapper storms for all but the last part of each period, in which it is up. */
#define PERIOD_US 3000000
#define REST_US 500000
/* Interrupts are off in a sleep, and taken after it. */
#define SLEEP_US 100

const char payload_name[] = "hostile-link";

static volatile uint64_t told;
static volatile bool link;

static void on_external(void)
{
    uint32_t source = plic_claim();

    if (source == net_source() && net_interrupt()) {
        told++;
        link = net_has_link();
    }
    if (source != 0) {
        plic_complete(source);
    }
}

static void flap(void)
{
    static struct virtio_device device;
    static struct virtio_queue queues[QUEUES];

    check(virtio_find(&device, VIRTIO_ID_NET), "there is no network device");
    for (unsigned i = 0;; i++) {
        if (i % 2 == 0) {
            *(volatile uint32_t *)(device.base + STATUS) = 0;
            clock_sleep(SLEEP_US);
        }
        check(virtio_start(&device, queues, QUEUES, 0), "the device does not start");
        while (clock_now() % clock_ticks(PERIOD_US) > clock_ticks(PERIOD_US - REST_US)) {
            clock_sleep(SLEEP_US);
        }
        if (i % 2 == 0) {
            clock_sleep(SLEEP_US);
        }
    }
}

static void count(void)
{
    uint64_t most = platform_number("most", 110);
    uint64_t counted;

    check(net_start(), "there is no network device");
    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    plic_set_threshold(0);
    plic_enable(net_source(), PRIORITY);
    csr_set(sie, INTERRUPT_EXTERNAL);
    interrupts_enable();
    while (clock_now() % clock_ticks(PERIOD_US) > clock_ticks(SECOND_US)) {
        clock_sleep(SLEEP_US);
    }
    counted = told;
    for (uint64_t end = clock_now() + clock_ticks(SECOND_US); clock_now() < end;) {
        clock_sleep(SLEEP_US);
    }
    counted = told - counted;
    print("hostile-link: told=%lu\n", counted);
    check(counted >= 10, "nobody storms");
    check(counted <= most, "told too often");
    while (clock_now() % clock_ticks(PERIOD_US) < clock_ticks(PERIOD_US - REST_US / 2)) {
        clock_sleep(SLEEP_US);
    }
    check(link, "the last that it was told is that there is no link");
    check_pass();
}

void main(void)
{
    char role[16];

    platform_word("role", "flapper", role, sizeof(role));
    if (strcmp(role, "flapper") == 0) {
        flap();
    }
    count();
}

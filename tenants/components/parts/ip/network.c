/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lwIP and the driver below it. Arguments of the tenant: address=10.0.0.2/24, of the network and
 * the bits of its mask, and gateway=10.0.0.1 (default: none).
 *
 * If the driver is restarted, its next call fails, and the device is started again.
 */
#include <string.h>

#include "components/lib/network.h"
#include "components/lib/scheduling.h"
#include "generated.h"
#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "sockets.h"

#define PAGE 4096
#define ETHERNET_MTU 1500
#define ADDRESS_SIZE 6
#define ADDRESS_PARTS 4
#define ADDRESS_BITS 32
#define MILLISECONDS 1000
#define RETRY_MS 100
/* Frames that are taken before the other work has its turn. */
#define MOST_FRAMES 16

/* Lent to the driver. The frame lies behind the padding that lwIP wants in front. */
static BUFFER uint8_t inbox[PAGE] __attribute__((aligned(PAGE)));
static BUFFER uint8_t outbox[PAGE] __attribute__((aligned(PAGE)));
static struct netif interface;
static uint64_t ticks_per_ms;
static bool is_started;

/* lwIP's clock, in milliseconds. */
u32_t sys_now(void)
{
    return (u32_t)(time_now() / ticks_per_ms);
}

static bool has_failed(struct result result)
{
    if (result.error != OK || result.value == NETWORK_FAILED) {
        is_started = false;
    }
    return !is_started;
}

static err_t send_frame(struct netif *netif, struct pbuf *packet)
{
    uint16_t length = pbuf_copy_partial(packet, outbox, ETH_PAD_SIZE + FRAME_SIZE, 0);
    struct result sent;

    (void)netif;
    if (!is_started) {
        return ERR_IF;
    }
    sent = net_send((uintptr_t)outbox + ETH_PAD_SIZE, length - (uint64_t)ETH_PAD_SIZE);
    return has_failed(sent) ? ERR_IF : sent.value == 1 ? ERR_OK : ERR_WOULDBLOCK;
}

static err_t start_interface(struct netif *netif)
{
    uint64_t address = net_address().value;

    netif->name[0] = 'v';
    netif->name[1] = 'n';
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    netif->mtu = ETHERNET_MTU;
    netif->hwaddr_len = ADDRESS_SIZE;
    memcpy(netif->hwaddr, &address, ADDRESS_SIZE);
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    return ERR_OK;
}

static ip4_addr_t read_address(const char *name)
{
    ip4_addr_t address;
    uint32_t bytes = 0;

    for (uint64_t part = 0; part < ADDRESS_PARTS; part++) {
        bytes = bytes << 8 | (argument_part(name, part) & 0xff);
    }
    ip4_addr_set_u32(&address, lwip_htonl(bytes));
    return address;
}

static void add_interface(void)
{
    ip4_addr_t address = read_address("address");
    ip4_addr_t gateway = read_address("gateway");
    uint64_t bits = argument_part("address", ADDRESS_PARTS);
    ip4_addr_t mask;

    bits = bits == 0 || bits > ADDRESS_BITS ? ADDRESS_BITS : bits;
    ip4_addr_set_u32(&mask, lwip_htonl(UINT32_MAX << (ADDRESS_BITS - bits)));
    netif_add(&interface, &address, &mask, &gateway, NULL, start_interface, netif_input);
    netif_set_default(&interface);
    netif_set_up(&interface);
    netif_set_link_up(&interface);
}

/* False: there is no device, or not yet. */
static bool start(void)
{
    struct result started = net_start();

    is_started = started.error == OK && started.value == 1;
    if (!is_started) {
        return false;
    }
    kernel_call(CALL_LEND, CAPABILITY_NET_RECEIVE, (uintptr_t)inbox, 0);
    kernel_call(CALL_LEND, CAPABILITY_NET_SEND, (uintptr_t)outbox, 0);
    if (interface.input == NULL) {
        add_interface();
    }
    return true;
}

/* A frame for which there is no memory is lost, as frames may be. */
static void take_frame(uint64_t length)
{
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)(ETH_PAD_SIZE + length), PBUF_POOL);

    if (packet == NULL) {
        return;
    }
    pbuf_take(packet, inbox, (u16_t)(ETH_PAD_SIZE + length));
    if (interface.input(packet, &interface) != ERR_OK) {
        pbuf_free(packet);
    }
}

/* False: there may be more. */
static bool take_frames(void)
{
    for (unsigned frames = 0; frames < MOST_FRAMES; frames++) {
        struct result taken = net_receive((uintptr_t)inbox + ETH_PAD_SIZE);

        if (has_failed(taken) || taken.value == 0) {
            return true;
        }
        take_frame(taken.value < FRAME_SIZE ? taken.value : FRAME_SIZE);
    }
    return false;
}

/* The time of lwIP's next timer, or when the first client gives up. */
static uint64_t next_end(void)
{
    u32_t milliseconds = sys_timeouts_sleeptime();
    uint64_t timer = milliseconds == SYS_TIMEOUTS_SLEEPTIME_INFINITE
                         ? UINT64_MAX
                         : time_now() + (milliseconds + 1ull) * ticks_per_ms;

    return timer < sockets_next_end() ? timer : sockets_next_end();
}

void thread_network(uint64_t unused)
{
    (void)unused;
    ticks_per_ms = argument("timebase-hz") / MILLISECONDS;
    lwip_init();
    sockets_init();
    for (;;) {
        bool has_all;

        if (!is_started && !start()) {
            sockets_serve();
            kernel_event(SCHEDULE_SLEEP, time_now() + RETRY_MS * ticks_per_ms, 0, 0);
            continue;
        }
        has_all = take_frames();
        sys_check_timeouts();
        sockets_serve();
        if (has_all && is_started) {
            (void)has_failed(net_wait(next_end()));
        }
    }
}

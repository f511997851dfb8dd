/* SPDX-License-Identifier: BSD-2-Clause */
#include "network.h"

#include <string.h>

#include "external.h"
#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "rt/arguments.h"
#include "rt/net.h"
#include "rt/platform.h"
#include "task.h"

#define STACK_WORDS 1024
#define ETHERNET_MTU 1500
#define MILLISECONDS 1000
#define FRAMES_DEFAULT 64
#define ADDRESS_BITS 32

static struct netif interface;
static ip4_addr_t address;
static ip4_addr_t mask;
static ip4_addr_t gateway;
static volatile bool link_may_have_changed = true;
static uint64_t frames_per_tick;
static TaskHandle_t task;
static StaticTask_t task_storage;
static StackType_t stack[STACK_WORDS];

/* lwIP's clock, in milliseconds. */
u32_t sys_now(void)
{
    return (u32_t)(clock_now() / (platform.timebase_hz / MILLISECONDS));
}

static BaseType_t handle_interrupt(void)
{
    BaseType_t is_switch_needed = pdFALSE;

    if (net_interrupt()) {
        link_may_have_changed = true;
    }
    vTaskNotifyGiveFromISR(task, &is_switch_needed);
    return is_switch_needed;
}

static err_t send_frame(struct netif *netif, struct pbuf *packet)
{
    static u8_t whole[ETH_PAD_SIZE + NET_FRAME_SIZE] __attribute__((aligned(8)));
    const u8_t *bytes = packet->payload;
    u16_t length = packet->tot_len;

    (void)netif;
    if (packet->next != NULL) {
        length = pbuf_copy_partial(packet, whole, sizeof(whole), 0);
        bytes = whole;
    }
    return net_send(bytes + ETH_PAD_SIZE, length - ETH_PAD_SIZE) ? ERR_OK : ERR_WOULDBLOCK;
}

static err_t start_interface(struct netif *netif)
{
    netif->name[0] = 'v';
    netif->name[1] = 'n';
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    netif->mtu = ETHERNET_MTU;
    netif->hwaddr_len = NET_ADDRESS_SIZE;
    memcpy(netif->hwaddr, net_address(), NET_ADDRESS_SIZE);
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    return ERR_OK;
}

/* A frame for which there is no memory is lost, as frames may be. */
static void take_frame(const u8_t *frame, uint32_t length)
{
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)(ETH_PAD_SIZE + length), PBUF_POOL);

    if (packet == NULL) {
        return;
    }
    /* With the bytes in front of the frame: both sides are aligned to 8 then. */
    pbuf_take(packet, frame - ETH_PAD_SIZE, (u16_t)(ETH_PAD_SIZE + length));
    if (interface.input(packet, &interface) != ERR_OK) {
        pbuf_free(packet);
    }
}

/* Takes what has come. False: there may be more, but not in this tick. */
static bool take_frames(void)
{
    static TickType_t tick;
    static uint64_t taken;

    for (;;) {
        TickType_t now = xTaskGetTickCount();
        const u8_t *frame;
        uint32_t length;

        if (now != tick) {
            tick = now;
            taken = 0;
        }
        if (taken >= frames_per_tick) {
            return false;
        }
        frame = net_receive(&length);
        if (frame == NULL) {
            return true;
        }
        take_frame(frame, length);
        taken++;
    }
}

static void follow_link(void)
{
    if (!link_may_have_changed) {
        return;
    }
    link_may_have_changed = false; /* before the look: a change after it is seen the next time */
    if (net_has_link()) {
        netif_set_link_up(&interface);
    } else {
        netif_set_link_down(&interface);
    }
}

/* The ticks until lwIP's next timer, at least one. */
static TickType_t ticks_to_timer(void)
{
    u32_t milliseconds = sys_timeouts_sleeptime();

    if (milliseconds == SYS_TIMEOUTS_SLEEPTIME_INFINITE) {
        return portMAX_DELAY;
    }
    return pdMS_TO_TICKS(milliseconds) + 1;
}

/* An interrupt says that there is something to do; while there is, none is wanted. */
static _Noreturn void run(void *begin)
{
    lwip_init();
    netif_add(&interface, &address, &mask, &gateway, NULL, start_interface, netif_input);
    netif_set_default(&interface);
    netif_set_up(&interface);
    ((void (*)(void))begin)();
    for (;;) {
        bool has_all;

        follow_link();
        net_want_interrupt(false);
        has_all = take_frames();
        sys_check_timeouts();
        if (has_all) {
            net_want_interrupt(true);
            has_all = take_frames(); /* those that came just before */
        }
        ulTaskNotifyTake(pdTRUE, has_all ? ticks_to_timer() : 1);
    }
}

/* Reads an address such as 10.0.0.2, and moves *text behind it. */
static bool read_address(const char **text, ip4_addr_t *value)
{
    uint32_t bytes = 0;

    for (unsigned i = 0; i < sizeof(bytes); i++) {
        uint64_t byte;

        if ((i > 0 && *(*text)++ != '.') || !argument_number(text, &byte) || byte > UINT8_MAX) {
            return false;
        }
        bytes = bytes << 8 | (uint32_t)byte;
    }
    ip4_addr_set_u32(value, lwip_htonl(bytes));
    return true;
}

static bool read_arguments(void)
{
    const char *text = platform_argument("address");
    const char *way_out = platform_argument("gateway");
    uint64_t bits;

    if (text == NULL || !read_address(&text, &address) || *text++ != '/' ||
        !argument_number(&text, &bits) || bits == 0 || bits > ADDRESS_BITS) {
        return false;
    }
    ip4_addr_set_u32(&mask, lwip_htonl(UINT32_MAX << (ADDRESS_BITS - bits)));
    return way_out == NULL || read_address(&way_out, &gateway);
}

bool network_start(UBaseType_t priority, void (*begin)(void))
{
    if (!read_arguments() || !net_start()) {
        return false;
    }
    frames_per_tick = platform_number("frames", FRAMES_DEFAULT);
    task = xTaskCreateStatic(run, "network", STACK_WORDS, (void *)(uintptr_t)begin, priority, stack,
                             &task_storage);
    external_handle(net_source(), handle_interrupt);
    return true;
}

bool network_has_link(void)
{
    return netif_is_link_up(&interface);
}

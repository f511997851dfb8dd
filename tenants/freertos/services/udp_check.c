/* SPDX-License-Identifier: BSD-2-Clause */
#include "services/udp_check.h"

#include "linux/tests/datagram.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"

/* How often it looks whether something waits for too long. */
#define LOOK_MS 10

static struct udp_pcb *port;
static ip_addr_t other;
static u16_t other_port;
static struct datagram_peer peer;
static uint32_t runs;

/* False: there is no room now. */
static bool send(bool with_message)
{
    static struct datagram datagram;
    uint32_t length = datagram_make(&peer, &datagram, with_message);
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)length, PBUF_RAM);
    bool sent = false;

    if (packet != NULL) {
        pbuf_take(packet, &datagram, (u16_t)length);
        sent = udp_sendto(port, packet, &other, other_port) == ERR_OK;
        pbuf_free(packet);
    }
    if (sent && with_message) {
        peer.sent++;
    }
    return sent;
}

/* Sends what may be sent; what has no room now goes when something comes, or at the next look. */
static void go_on(void)
{
    bool sent = true;

    while (sent && datagram_may_send(&peer)) {
        sent = send(true);
    }
    if (datagram_must_acknowledge(&peer)) {
        send(false);
    }
}

static void begin(const struct datagram_header *header)
{
    peer = (struct datagram_peer){
        .run = header->run,
        .longest = header->longest < DATAGRAM_LONGEST ? header->longest : DATAGRAM_LONGEST,
        .to_send = header->to_send,
    };
    if (peer.longest < 8) {
        peer.longest = 8;
    }
    runs++;
}

static void on_datagram(void *nothing, struct udp_pcb *to, struct pbuf *packet,
                        const ip_addr_t *address, u16_t from)
{
    static struct datagram datagram;
    uint32_t length = pbuf_copy_partial(packet, &datagram, sizeof(datagram), 0);
    uint32_t before;

    (void)nothing;
    (void)to;
    pbuf_free(packet);
    if (length < sizeof(datagram.header)) {
        return;
    }
    if (runs == 0 || datagram.header.run != peer.run) {
        other = *address;
        other_port = from;
        begin(&datagram.header);
    }
    before = peer.acknowledged;
    datagram_take(&peer, &datagram, length);
    go_on();
    if (length == sizeof(datagram.header) && peer.acknowledged == before) {
        send(false); /* it asks */
    }
}

/* Acknowledges the last few messages. */
static void look(void *nothing)
{
    (void)nothing;
    sys_timeout(LOOK_MS, look, NULL);
    if (runs != 0) {
        go_on();
        if (peer.seen != peer.told) {
            send(false);
        }
    }
}

void udp_check_start(void)
{
    port = udp_new();
    LWIP_ASSERT("no memory for the check", port != NULL);
    udp_bind(port, IP_ADDR_ANY, DATAGRAM_PORT);
    udp_recv(port, on_datagram, NULL);
    sys_timeout(LOOK_MS, look, NULL);
}

struct udp_check_counts udp_check_counts(void)
{
    return (struct udp_check_counts){runs, peer.sent, peer.received, peer.lost, peer.wrong};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "services/udp_exchange.h"

#include "linux/tests/channel_exchange.h"
#include "lwip/udp.h"
#include "rt/platform.h"

static void on_datagram(void *nothing, struct udp_pcb *port, struct pbuf *packet,
                        const ip_addr_t *address, u16_t from)
{
    uint64_t arrived = clock_now();
    struct exchange message = {0};

    (void)nothing;
    pbuf_copy_partial(packet, &message, sizeof(message), 0);
    pbuf_free(packet);
    if (message.kind == EXCHANGE_BULK && message.count == 0) {
        return;
    }
    packet = pbuf_alloc(PBUF_TRANSPORT, sizeof(message), PBUF_RAM);
    if (packet == NULL) {
        return;
    }
    message.on_way = arrived - message.sent;
    message.sent = clock_now();
    pbuf_take(packet, &message, sizeof(message));
    udp_sendto(port, packet, address, from);
    pbuf_free(packet);
}

void udp_exchange_start(void)
{
    struct udp_pcb *port = udp_new();

    LWIP_ASSERT("no memory for the exchange", port != NULL);
    udp_bind(port, IP_ADDR_ANY, EXCHANGE_PORT);
    udp_recv(port, on_datagram, NULL);
}

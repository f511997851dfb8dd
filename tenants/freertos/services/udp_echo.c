/* SPDX-License-Identifier: BSD-2-Clause */
#include "services/udp_echo.h"

#include "lwip/udp.h"

static volatile uint32_t count;

static void on_datagram(void *nothing, struct udp_pcb *port, struct pbuf *packet,
                        const ip_addr_t *address, u16_t from)
{
    (void)nothing;
    if (udp_sendto(port, packet, address, from) == ERR_OK) {
        count++;
    }
    pbuf_free(packet);
}

void udp_echo_start(void)
{
    struct udp_pcb *port = udp_new();

    LWIP_ASSERT("no memory for the echo", port != NULL);
    udp_bind(port, IP_ADDR_ANY, UDP_ECHO_PORT);
    udp_recv(port, on_datagram, NULL);
}

uint32_t udp_echo_count(void)
{
    return count;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The RTOS' end of the benchmark of networks: answers the datagrams of linux/tests/netbench.c,
 * which are those of channel_exchange.h.
 */
#ifndef COTENANT_FREERTOS_UDP_EXCHANGE_H
#define COTENANT_FREERTOS_UDP_EXCHANGE_H

/* From the network task. */
void udp_exchange_start(void);

#endif

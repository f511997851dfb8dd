/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes to UDP port 7 goes back to where it came from (RFC 862). */
#ifndef COTENANT_FREERTOS_UDP_ECHO_H
#define COTENANT_FREERTOS_UDP_ECHO_H

#include <stdint.h>

#define UDP_ECHO_PORT 7

/* From the network task. */
void udp_echo_start(void);

/* How many it has sent back. From any task. */
uint32_t udp_echo_count(void);

#endif

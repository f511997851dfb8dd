/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends and receives numbered messages with contents that are known beforehand, both ways at once,
 * as linux/tests/datagram.h says: the throughput test. The other end is linux/tests/netcheck.c.
 */
#ifndef COTENANT_FREERTOS_UDP_CHECK_H
#define COTENANT_FREERTOS_UDP_CHECK_H

#include <stdint.h>

struct udp_check_counts {
    uint32_t runs; /* exchanges that were begun; the rest is about the last one */
    uint32_t sent;
    uint32_t received;
    uint32_t lost;
    uint32_t wrong;
};

/* From the network task. */
void udp_check_start(void);

/* From any task; the counts are of about the same moment. */
struct udp_check_counts udp_check_counts(void);

#endif

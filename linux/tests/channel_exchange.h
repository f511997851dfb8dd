/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the two ends of the benchmark of channels say to each other; times are ticks of the time
 * CSR, which all tenants share. Little endian, no padding.
 */
#ifndef COTENANT_LINUX_TESTS_CHANNEL_EXCHANGE_H
#define COTENANT_LINUX_TESTS_CHANNEL_EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_PING 1  /* answer it */
#define EXCHANGE_BULK 2  /* take the `count` bytes that follow, then answer */
#define EXCHANGE_PAUSE 3 /* answer it after `count` microseconds, when its sender sleeps */

/* Where datagrams of this kind go. A bulk one has `count` 1 if it is to be answered, else 0; what
 * follows the message makes it as long as it is. */
#define EXCHANGE_PORT 5002

struct exchange {
    uint64_t kind;
    uint64_t count;
    uint64_t sent;   /* when this message was sent */
    uint64_t on_way; /* in an answer: how long the message that it answers was on its way */
};

#endif

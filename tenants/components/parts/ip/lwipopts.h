/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How lwIP is built for the component: see lwIP's opt.h. IPv4 with ICMP, UDP and TCP in one thread
 * by the callback ("raw") interface; nothing is allocated but from pools of its own, which lwIP
 * sets up itself and which a restart therefore need not clear.
 */
#ifndef COTENANT_COMPONENTS_LWIPOPTS_H
#define COTENANT_COMPONENTS_LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0

#define MEM_ALIGNMENT 8
#define MEM_SIZE 32768
#define LWIP_DECLARE_MEMORY_ALIGNED(name, size)                                                    \
    u8_t name[LWIP_MEM_ALIGN_BUFFER(size)] __attribute__((section(".buffers"), aligned(8)))
/* A frame in one piece, with room for the padding in front of it. */
#define PBUF_POOL_SIZE 32
#define PBUF_POOL_BUFSIZE 1536
/* The IP header is aligned then. */
#define ETH_PAD_SIZE 2

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ARP 1
#define LWIP_ICMP 1
#define LWIP_UDP 1
#define LWIP_TCP 1
#define TCP_MSS 1460
#define TCP_WND (4 * TCP_MSS)
#define TCP_SND_BUF (4 * TCP_MSS)
#define MEMP_NUM_TCP_SEG 32
#define MEMP_NUM_TCP_PCB 12

#define LWIP_STATS 0
/* Its own routine, which takes four bytes at a time. */
#define LWIP_CHKSUM_ALGORITHM 3

#endif

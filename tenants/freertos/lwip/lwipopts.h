/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How lwIP is built for tenants: see lwIP's opt.h. IPv4 with ICMP, UDP and TCP, all of it in one
 * task by the callback ("raw") interface; nothing is allocated but from pools of its own.
 */
#ifndef COTENANT_LWIPOPTS_H
#define COTENANT_LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0

#define MEM_ALIGNMENT 8
#define MEM_SIZE 65536
/* A frame in one piece, with room for the padding in front of it. */
#define PBUF_POOL_SIZE 64
#define PBUF_POOL_BUFSIZE 1536
/* The IP header is aligned then. */
#define ETH_PAD_SIZE 2

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ARP 1
/* Packets that wait for the address of whom they are for: a burst of them is not lost. */
#define ARP_QUEUEING 1
#define ARP_QUEUE_LEN 16
#define LWIP_ICMP 1
#define LWIP_UDP 1
#define LWIP_TCP 1
#define TCP_MSS 1460
#define TCP_WND (8 * TCP_MSS)
#define TCP_SND_BUF (8 * TCP_MSS)
#define MEMP_NUM_TCP_SEG 32

#define LWIP_NETIF_LINK_CALLBACK 0
#define LWIP_STATS 0
/* Its own routine, which takes four bytes at a time. */
#define LWIP_CHKSUM_ALGORITHM 3

#endif

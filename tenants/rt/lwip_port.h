/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP wants to know of the compiler and the C library of any tenant: for an arch/cc.h. */
#ifndef COTENANT_RT_LWIP_PORT_H
#define COTENANT_RT_LWIP_PORT_H

#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_LIMITS_H 1
#define LWIP_NO_CTYPE_H 1
#define LWIP_NO_UNISTD_H 1
#define SSIZE_MAX 0x7fffffff
typedef int ssize_t;

/* Formats of print(), for the few messages that lwIP has. */
#define X8_F "02x"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "u"
#define S32_F "d"
#define X32_F "x"
#define SZT_F "lu"

/* For netif_find(), which nothing uses and which is therefore not in the image. */
int atoi(const char *text);

#endif

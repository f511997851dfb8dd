/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP wants to know of the compiler and the C library, which components do not have. */
#ifndef COTENANT_COMPONENTS_CC_H
#define COTENANT_COMPONENTS_CC_H

#include "components/lib/component.h"

#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_LIMITS_H 1
#define LWIP_NO_CTYPE_H 1
#define LWIP_NO_UNISTD_H 1
#define SSIZE_MAX 0x7fffffff
typedef int ssize_t;

/* Nobody reads them. */
#define LWIP_PLATFORM_DIAG(message)                                                                \
    do {                                                                                           \
    } while (0)
/* A fault: the component is restarted. */
#define LWIP_PLATFORM_ASSERT(message) __builtin_trap()
/* Where the numbers of ports begin, which need not be secret. */
#define LWIP_RAND() ((u32_t)time_now())

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

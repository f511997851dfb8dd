/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP wants to know of its surroundings, which are a FreeRTOS. */
#ifndef COTENANT_LWIP_CC_H
#define COTENANT_LWIP_CC_H

#include "FreeRTOS.h"
#include "rt/console.h"
#include "rt/lwip_port.h"
#include "rt/platform.h"

#define LWIP_PLATFORM_DIAG(message)                                                                \
    do {                                                                                           \
        print message;                                                                             \
    } while (0)
#define LWIP_PLATFORM_ASSERT(message) application_assert_failed(message, __LINE__)
/* Where the numbers of ports begin, which need not be secret. */
#define LWIP_RAND() ((u32_t)clock_now())

#endif

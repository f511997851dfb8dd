/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP wants to know of its surroundings, which are a component. */
#ifndef COTENANT_COMPONENTS_CC_H
#define COTENANT_COMPONENTS_CC_H

#include "components/lib/component.h"
#include "rt/lwip_port.h"

/* There is no console for them. */
#define LWIP_PLATFORM_DIAG(message)                                                                \
    do {                                                                                           \
    } while (0)
/* A fault: the component is restarted. */
#define LWIP_PLATFORM_ASSERT(message) __builtin_trap()
/* Where the numbers of ports begin, which need not be secret. */
#define LWIP_RAND() ((u32_t)time_now())

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What applications ask of a port beyond the FreeRTOS interface: the part that FreeRTOS' own has.
 */
#ifndef COTENANT_MACHINE_PORT_H
#define COTENANT_MACHINE_PORT_H

#include <stdint.h>

#include "FreeRTOS.h"

/* Of the port: what mtimecmp is set to after the tick that it is set to now. */
extern uint64_t ullNextTime;

/*
 * The moment, in ticks of the time CSR, at which tick `tick`, the one that has just been handled,
 * was due.
 */
static inline uint64_t port_tick_time(TickType_t tick)
{
    (void)tick;
    return *(volatile uint64_t *)&ullNextTime - 2 * (configCPU_CLOCK_HZ / configTICK_RATE_HZ);
}

#endif

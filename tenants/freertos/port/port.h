/* SPDX-License-Identifier: BSD-2-Clause */
/* What the S-mode port offers to applications beyond the FreeRTOS interface. */
#ifndef COTENANT_FREERTOS_PORT_H
#define COTENANT_FREERTOS_PORT_H

#include <stdint.h>

#include "FreeRTOS.h"
#include "rt/suspend.h"

/*
 * The moment, in ticks of the time CSR, at which tick `tick` is due. Exact for every tick since the
 * start of the scheduler, whatever the ratio of the two rates: ticks do not drift. Any context,
 * once the scheduler runs.
 */
uint64_t port_tick_time(TickType_t tick);

/*
 * All later ticks are due `by` ticks of the time CSR later than they were. From a task, which has
 * just been woken up by a tick.
 */
void port_delay_ticks(uint64_t by);

/*
 * Handles the supervisor external interrupt. Called with interrupts off, on the interrupt stack;
 * may use the ...FromISR() interface and returns pdTRUE if a context switch is needed.
 */
typedef BaseType_t (*port_external_handler)(void);

/* Sets the handler and enables the external interrupt. Before or after the scheduler's start. */
void port_set_external_handler(port_external_handler handler);

/*
 * Suspends the system to RAM (SBI SUSP) and comes back when it resumes, or with an error if that
 * was refused. What FreeRTOS needs of the hart is as before, and no tick passed meanwhile; devices
 * and the interrupt controller are the caller's to set up again. Interrupts must be off.
 */
void port_suspend(struct suspend_result *result);

#endif

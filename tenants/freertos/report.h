/* SPDX-License-Identifier: BSD-2-Clause */
/* A task of low priority that tells on the console how an application fares. */
#ifndef COTENANT_FREERTOS_REPORT_H
#define COTENANT_FREERTOS_REPORT_H

#include "FreeRTOS.h"

/* The calling task is the one that prints: while the console is full, others run. */
void report_share_console(void);

/* Ticks between two reports, by the argument `report=2s` (or ms); 2 s without it. */
TickType_t report_period(void);

/* Calls `report` with `what` once every period, from the calling task, for ever. It has the
 * console. */
_Noreturn void report_periodically(void (*report)(void *), void *what);

/*
 * A task: prints once every period how late another one was woken, in ticks of the time CSR:
 * `parameters` is its struct latency_statistics. It adds to them without being interrupted by this
 * task.
 */
_Noreturn void report_lateness(void *parameters);

#endif

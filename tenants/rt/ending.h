/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways in which a tenant can end, for those that show what becomes of it. */
#ifndef COTENANT_RT_ENDING_H
#define COTENANT_RT_ENDING_H

#include <stdint.h>

/*
 * The tenant ends in the way that its argument `end` names: `crash` (a fault whose handler cannot
 * be fetched), `trap` (a fault without a handler), `fail` (a shutdown that says so), `hang` (it
 * loops, with interrupts off), `shutdown` or `reboot`. `turns` takes crash, hang, shutdown and
 * reboot one after the other, by the time in units of `period` ticks; without the argument it
 * shuts down. Does not return.
 */
__attribute__((noreturn)) void ending_come(uint64_t period);

#endif

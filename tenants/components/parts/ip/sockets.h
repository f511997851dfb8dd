/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What threads of other components ask the IP stack for. A request is left with the stack's own
 * thread, which is the only one that calls lwIP.
 */
#ifndef COTENANT_COMPONENTS_SOCKETS_H
#define COTENANT_COMPONENTS_SOCKETS_H

#include <stdint.h>

/* The calling thread, before all else, is the stack's. */
void sockets_init(void);

/* Does what can be done of what is asked for, and wakes those who asked. By the stack's thread. */
void sockets_serve(void);

/* When the first of those who wait gives up, in ticks; UINT64_MAX: nobody waits. */
uint64_t sockets_next_end(void);

#endif

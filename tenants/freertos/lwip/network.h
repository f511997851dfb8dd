/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lwIP on a net of the system's configuration: the port that FreeRTOS applications use. The stack
 * runs in one task, and so do the callbacks by which an application talks to it (lwIP's "raw"
 * interface: udp_new(), udp_recv(), tcp_listen()...), which must not be called from elsewhere.
 *
 * Arguments: address=10.0.0.2/24   the tenant's address and the bits of its network
 *            gateway=10.0.0.1      where everything else goes (default: nowhere)
 *            frames=64             that are taken in a tick at most: what comes beyond waits at its
 *                                  sender, which cannot keep the task busy for as long as it likes
 */
#ifndef COTENANT_FREERTOS_NETWORK_H
#define COTENANT_FREERTOS_NETWORK_H

#include <stdbool.h>

#include "FreeRTOS.h"

/*
 * Starts the task with `priority`, which begins by calling `begin`: there applications open what
 * they want. Before the scheduler runs, once. False: there is no network device, or no usable
 * address=.
 */
bool network_start(UBaseType_t priority, void (*begin)(void));

/* Whether anybody is at the other end. From any task. */
bool network_has_link(void);

#endif

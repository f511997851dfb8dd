/* SPDX-License-Identifier: BSD-2-Clause */
/* External interrupts of several devices, each with a handler of its own. */
#ifndef COTENANT_FREERTOS_EXTERNAL_H
#define COTENANT_FREERTOS_EXTERNAL_H

#include <stdint.h>

#include "port.h"

/* Sources that can have a handler. */
#define EXTERNAL_SOURCES 4

/*
 * Lets `handler` serve the interrupts of `source`, which are enabled; a later handler takes an
 * earlier one's place. Takes the port's external interrupt for itself. Before the scheduler runs or
 * from a task.
 */
void external_handle(uint32_t source, port_external_handler handler);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handlers of supervisor software events (SBI 3.0, section 17) in C. `software_event_entry` is the
 * entry point to register, with the address of a struct software_event_handler, one for each event
 * and hart, as its argument. It calls `handle` on a stack of the handler's own, with interrupts
 * off, and then completes the event, with the registers of whoever was interrupted as they were.
 */
#ifndef COTENANT_RT_SOFTWARE_EVENT_H
#define COTENANT_RT_SOFTWARE_EVENT_H

#include <stdint.h>

struct software_event_handler {
    uint64_t interrupted_sp; /* kept by software_event_entry */
    void *stack_top;         /* aligned to 16 bytes */
    /* `hart` is the id in a6. */
    void (*handle)(uint64_t hart, struct software_event_handler *handler);
};

void software_event_entry(void);

#endif

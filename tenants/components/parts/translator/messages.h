/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages to and from a process of Linux (abi/component_message.h), by the tenant's channel of
 * that name: a memory channel, if it is one, else a stream. One thread uses this.
 */
#ifndef COTENANT_COMPONENTS_MESSAGES_H
#define COTENANT_COMPONENTS_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/component_message.h"

enum arrival {
    ARRIVED_NOTHING,
    ARRIVED_MESSAGE,
    ARRIVED_NONSENSE, /* the other end breaks the rules: messages_start() begins anew */
    ARRIVED_ANOTHER   /* another process than before is, or may soon be, at the other end */
};

/* Starts afresh: the process sees a hang-up if it was there. False: there is no channel. */
bool messages_start(void);

/* The next message that is whole; its size is possible, its name ends with a zero byte. */
enum arrival messages_take(struct component_frame *in);

/* Whether a process was at the other end when messages_take() was last called. */
bool messages_have_reader(void);

/* Sends a header and the data that it tells of. False: there is no room; it is lost. */
bool messages_send(const struct component_frame *out);

/* False: the device broke the rules. */
bool messages_are_sound(void);

/*
 * Waits for a message, until somebody wakes the thread with SCHEDULE_WOKEN, or until the time
 * `end`, in ticks. If it does wait, it wakes thread *wake first, and makes that 0.
 */
void messages_wait(uint64_t end, uint64_t *wake);

#endif

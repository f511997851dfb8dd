/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a scheduler component understands: events by kernel_event() from components that have the
 * right "schedule". It is a matter between them; the kernel passes it on.
 */
#ifndef COTENANT_COMPONENTS_SCHEDULING_H
#define COTENANT_COMPONENTS_SCHEDULING_H

#include "components/interface.h"

/* The thread sleeps until the time a. It may go on sooner: look at the time, and ask again. */
#define SCHEDULE_SLEEP (EVENT_WAIT + 0)
/*
 * The thread waits until another one wakes it, which may have been before, or until the time a (0:
 * any), or for interrupt b (0: none). The answer is what the waker gives, 0 for an interrupt. First
 * it wakes thread c (0: none) with the answer SCHEDULE_WOKEN.
 */
#define SCHEDULE_WAIT (EVENT_WAIT + 1)
/* Wakes thread a with the answer b, at once or when it waits the next time. Answer: 1, 0 if there
 * is no such thread. */
#define SCHEDULE_WAKE (EVENT_CLIENT + 0)
/* The thread waits for interrupt a, and is dispatched by its own priority when that comes. */
#define SCHEDULE_INTERRUPT (EVENT_WAIT + 2)
/* The thread waits until another one has used up its budget; the answer is that one. */
#define SCHEDULE_OVERRUN (EVENT_WAIT + 3)
/* Thread a gets priority b, relative deadline c in microseconds (0: none). */
#define SCHEDULE_SET (EVENT_CLIENT + 1)

#define SCHEDULE_WOKEN 1

/* The answer where a thread goes on for another reason than it asked for. */
#define SCHEDULE_AGAIN (~0ull)

#endif

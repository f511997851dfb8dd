/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between components and their kernel: what is in a7 at an ecall, and what comes back. Included by
 * assembly too.
 *
 * a7 from 0: an invocation of that entry of the component's capability table. The six arguments in
 * a0-a5 are the callee's, and t0 tells it the caller's id. It runs on its own stack, on the same
 * thread, until it returns (CALL_RETURN, result in a1). The caller gets a0 = OK and that result in
 * a1, or an error in a0. Nothing but sp and pc is kept for the caller: other registers are what the
 * callee has left in them.
 *
 * a7 below 0: the kernel's own calls. Each asks for a right, of which the component's table says
 * whether it has it. Behind them too, registers but sp may hold what the thread had there before.
 */
#ifndef COTENANT_COMPONENTS_INTERFACE_H
#define COTENANT_COMPONENTS_INTERFACE_H

#define CALL_RETURN (-1)
/* Any component: */
#define CALL_EXIT (-2)      /* ends the thread, in the component where it began */
#define CALL_SELF (-3)      /* id of the thread */
#define CALL_LEND (-4)      /* a0 capability, a1 page of its own data: the callee may use it */
#define CALL_TAKE_BACK (-5) /* what was lent */
/* RIGHT_SCHEDULE: asks the scheduler: a0 EVENT_CLIENT.., a1-a3; its answer in a1 when it goes on.
 * a4: an interrupt that may come again from now on, as by CALL_UNMASK; 0: none. An event from
 * EVENT_WAIT on fails, once, if a component that the thread came through was restarted meanwhile or
 * since the last time: ERROR_FAILED. */
#define CALL_EVENT (-6)
/* RIGHT_DISPATCH and thread 0: runs thread a0 (NO_THREAD: none) until the next event, which comes
 * back in a1-a5: event, thread, three arguments. a1: answer to the event of a thread that waits for
 * one; a2: time of the timer event. */
#define CALL_DISPATCH (-7)
#define CALL_THREAD (-8)    /* RIGHT_THREADS: new thread, function a0 of the caller, argument a1 */
#define CALL_RESTART (-9)   /* RIGHT_RESTART: component a0 from its image */
#define CALL_WHERE (-10)    /* RIGHT_RESTART: component in which thread a0 is */
#define CALL_RESTARTS (-11) /* RIGHT_INSPECT: how often component a0 was restarted */
#define CALL_LIVE (-12)     /* RIGHT_INSPECT: a mask of the threads that there are */
#define CALL_PRINT (-13)    /* RIGHT_CONSOLE: a0 bytes, at most 40, in a1-a5: how many were taken */
#define CALL_MAP (-14)      /* RIGHT_MAP: a page of zeros at address a1 of component a0's heap */
#define CALL_UNMASK (-15)   /* RIGHT_INTERRUPTS: interrupt a0 may come again */
#define CALL_RAISE (-16)    /* RIGHT_INTERRUPTS: a software interrupt to ourselves */
/* RIGHT_INSPECT: of the tenant's argument named in a0, a1 the number behind a2 others. */
#define CALL_ARGUMENT (-17)
#define CALL_SHUTDOWN (-18) /* RIGHT_SHUTDOWN: ends the tenant, as failed if a0 */
/* With a device: what to add to an address of its data, for the device to find it. In a2: bytes of
 * its window, 0: none; a3: which end of it this is; a4: place of its doorbell in that page. */
#define CALL_DISTANCE (-19)
/* Copies a2 bytes, at most COPY_BYTES, from a0, which is lent to it, to a1 of its data; with a3 the
 * other way. Safe whatever the lender does meanwhile, as access to a0 is not. */
#define CALL_COPY (-20)
/* Id of who invoked this component; ERROR_FAILED if that was restarted since, ERROR_EMPTY if the
 * thread is at home. */
#define CALL_CALLER (-21)

#define CALLS 21
#define PRINT_BYTES 40
#define COPY_BYTES 2048

#define RIGHT_SCHEDULE 0x1
#define RIGHT_DISPATCH 0x2
#define RIGHT_THREADS 0x4
#define RIGHT_RESTART 0x8
#define RIGHT_INSPECT 0x10
#define RIGHT_CONSOLE 0x20
#define RIGHT_MAP 0x40
#define RIGHT_INTERRUPTS 0x80
#define RIGHT_SHUTDOWN 0x100

/* a0 of what comes back. */
#define OK 0
#define ERROR_NOT_PERMITTED (-1) /* no such capability, or the right is missing */
#define ERROR_INVALID (-2)       /* an id or address that is none */
#define ERROR_DEPTH (-3)         /* the thread is in as many invocations as it can be */
#define ERROR_EMPTY (-4)         /* a return without a call */
#define ERROR_FAILED (-5)        /* the callee was restarted */
#define ERROR_NO_ROOM (-6)       /* no thread slot or page is free */
#define ERROR_BUSY (-7)          /* it is lending to someone already */

#define NO_THREAD 0xffff

/* Events for the scheduler. */
#define EVENT_TIMER 1
#define EVENT_INTERRUPT 2 /* argument: number; masked until CALL_UNMASK */
/* And on: that of the device of component 0, 1.. */
#define INTERRUPT_DEVICES 16
#define EVENT_UNWOUND 3 /* argument: mask of threads that a restart took out of a component */
#define EVENT_CREATED 4 /* thread; argument: the thread that made it */
#define EVENT_ENDED 5   /* thread */
#define EVENT_CLIENT 16 /* from here: as the sender says */
#define EVENT_WAIT 32   /* from here: likewise, and the sender waits for something */

#define THREADS 16 /* at most 64: masks are words */
#define COMPONENTS 32
#define CAPABILITIES 32 /* of a component; a power of two */
#define DEPTH 16        /* invocations that a thread is in */

/*
 * One address space: component n has the region of 2 MiB at COMPONENT_BASE + n * COMPONENT_SIZE:
 * its image first, a window and its doorbells, a page of registers of a device, a heap, and a stack
 * for each thread with a hole below it.
 */
#define COMPONENT_BASE 0x2000000000
#define COMPONENT_SIZE 0x200000
#define WINDOW_OFFSET 0xee000 /* window of a memory channel: at most WINDOW_SIZE */
#define WINDOW_SIZE 0x10000
#define DOORBELL_OFFSET 0xfe000 /* the tenant's doorbells */
#define DEVICE_OFFSET 0xff000   /* registers of its device */
#define HEAP_OFFSET 0x100000
#define STACKS_OFFSET 0x180000
#define STACK_SPACING 0x4000
#define STACK_SIZE 0x1000

#endif

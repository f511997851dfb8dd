/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues of honest drivers. A shadow of their memory says what each byte must be that the
 * device does not have at the moment; each buffer is in a slot of its own, with bytes behind it
 * that are never the device's.
 */
#ifndef COTENANT_TESTS_SEQUENCE_RINGS_H
#define COTENANT_TESTS_SEQUENCE_RINGS_H

#include "fuzz.h"
#include "sequence_machine.h"

/* What became of a buffer that the device had. */
struct ring_result {
    const uint8_t *bytes; /* NULL: the device has read it */
    uint32_t length;
};

/* All queues of all drivers as after power-on, all memory zero. */
void rings_reset(void);

/* The device has been reset: nothing of the driver's is the device's any more. */
void rings_forget(const struct driver *driver);

/* Section 4.2.3.2. */
void ring_place(struct driver *driver, uint32_t queue);
bool ring_is_placed(const struct driver *driver, uint32_t queue);

/* A slot that the device does not have; false: there is none. */
bool ring_find_slot(const struct driver *driver, uint32_t queue, uint32_t *slot);

/* Writes into a slot that the driver has. */
void ring_fill(const struct driver *driver, uint32_t queue, uint32_t slot, const void *bytes,
               uint32_t length);

/* Makes a slot available, in one piece or, with `split` not 0, in two. */
void ring_offer(struct driver *driver, uint32_t queue, uint32_t slot, uint16_t length,
                uint16_t split);

/*
 * A store to QueueNotify, unless the device does not want one, made again until it is done. Others
 * go on meanwhile; it is not made again without end.
 */
void ring_notify(struct driver *driver, uint32_t queue, struct fuzz_input *input);

/* The next buffer that the device has used; false: there is none. */
bool ring_take(const struct driver *driver, uint32_t queue, struct ring_result *result);

/* All that was offered has come back. */
bool ring_is_idle(const struct driver *driver, uint32_t queue);

/* Asks for no interrupts, or for interrupts again: then look at what has come before. */
void ring_suppress(const struct driver *driver, uint32_t queue, bool suppressed);
bool ring_is_suppressed(const struct driver *driver, uint32_t queue);

/* Nothing that the device does not have has changed, and no interrupt is missing. */
void ring_check(const struct driver *driver, uint32_t queue);

/* What hostile drivers do while a store of an honest one is being made again and again. */
void hostile_meanwhile(struct fuzz_input *input, bool flood);

#endif

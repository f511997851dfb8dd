/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drivers that keep to the rules of virtio 1.2, and the model of what they may expect: what one
 * sends to another arrives whole and in order, or not at all where the protocol says so; nothing
 * of their memory changes but the buffers that the device has; and no store keeps them long.
 */
#ifndef COTENANT_TESTS_SEQUENCE_HONEST_H
#define COTENANT_TESTS_SEQUENCE_HONEST_H

#include "fuzz.h"
#include "sequence_machine.h"

/* All drivers as before their first start. After machine_reset(). */
void honest_reset(void);

/* (Re)starts the driver, through the whole protocol; ports of a console are opened. */
void honest_start(struct driver *driver, struct fuzz_input *input);
bool honest_is_live(const struct driver *driver);

/* Sends something to one of its peers, if it has room. */
void honest_send(struct driver *driver, struct fuzz_input *input);

/* Acknowledges the interrupt, takes what came, perhaps gives new buffers. */
void honest_serve(struct driver *driver, struct fuzz_input *input);

/* Rings a doorbell, by a store or by a message. */
void honest_ring(struct driver *driver, struct fuzz_input *input);

/* Opens or closes a port of a console. */
void honest_port(struct driver *driver, struct fuzz_input *input);

/* Asks for no interrupts, or for interrupts again. */
void honest_suppress(struct driver *driver, struct fuzz_input *input);

/* The tenant is stopped: its devices have been reset. */
void honest_stopped(uint32_t tenant);

/* Nothing of an honest driver has changed that may not, and no wake-up is missing. */
void honest_check(void);

/*
 * The hostile ones are silent. All that waits for an honest driver comes, and what is sent now
 * arrives. All honest drivers are live afterwards.
 */
void honest_settle(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the sequence fuzzer has done: operations in each state of each kind of device, work per
 * call, and where it is now, for the report of a failure.
 */
#ifndef COTENANT_TESTS_SEQUENCE_STATISTICS_H
#define COTENANT_TESTS_SEQUENCE_STATISTICS_H

#include <stdint.h>

#include "episodes.h"
#include "sequence_machine.h"

/* What drivers and the monitor do; the first ones are what a hostile driver does. */
enum operation {
    OPERATION_START,
    OPERATION_RESET,
    OPERATION_STATUS,
    OPERATION_FEATURES,
    OPERATION_QUEUE_SIZE,
    OPERATION_QUEUE_ADDRESS,
    OPERATION_QUEUE_READY,
    OPERATION_QUEUE_MOVE,
    OPERATION_ADD_CHAINS,
    OPERATION_CORRUPT,
    OPERATION_BUMP_INDEX,
    OPERATION_NOTIFY,
    OPERATION_FLOOD,
    OPERATION_SUPPRESS,
    OPERATION_CONFIGURATION,
    OPERATION_REGISTER,
    OPERATION_ACKNOWLEDGE,
    OPERATION_PORT,
    OPERATION_RING,
    HOSTILE_OPERATIONS,
    HONEST_START = HOSTILE_OPERATIONS,
    HONEST_SEND,
    HONEST_SERVE,
    HONEST_RING,
    HONEST_PORT,
    HONEST_SUPPRESS,
    HONEST_CONFIGURATION,
    MONITOR_STOP,
    MONITOR_PRESS,
    OPERATIONS,
};

/* Of a device, before an operation. */
enum state {
    STATE_RESET,
    STATE_NEGOTIATING,
    STATE_IDLE,
    STATE_SENDING,   /* it has taken part of what its driver sends */
    STATE_RECEIVING, /* part of what the other end sends is in its driver's buffer */
    STATE_DISABLED,  /* it works, with a queue that is not ready */
    STATE_BROKEN,    /* it needs a reset */
    STATES,
};

extern const char *const kind_names[KINDS];

/* An operation begins. */
void statistics_operation(enum operation operation, const struct driver *driver);

/* Around a call of the monitor; `wanted`: an interrupt waited from its beginning. */
void statistics_begin_call(void);
uint64_t statistics_end_call(enum kind kind, bool wanted);
/* The monitor has reached a basic block, at this address. */
void statistics_block(uintptr_t address);

/* A message between honest drivers has arrived; a store was made again so often. */
void statistics_message(void);
void statistics_retries(unsigned retries);

#endif

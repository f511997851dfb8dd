/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drivers that follow the protocol and break it at any step: queues placed in anybody's memory and
 * moved while they are in use, chains that change after they were published, accesses of any width.
 */
#ifndef COTENANT_TESTS_SEQUENCE_HOSTILE_H
#define COTENANT_TESTS_SEQUENCE_HOSTILE_H

#include "fuzz.h"
#include "sequence_machine.h"
#include "sequence_statistics.h"

/* An episode begins; in a calm one most chains are good. */
void hostile_reset(bool calm);

/* One operation of a hostile driver, below HOSTILE_OPERATIONS. */
void hostile_operate(struct driver *driver, enum operation operation, struct fuzz_input *input);

#endif

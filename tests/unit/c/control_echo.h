/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In the place of the verbs of the control protocol: data of a request go to a memory, and `item`
 * bytes of that are the answer.
 */
#ifndef COTENANT_TESTS_CONTROL_ECHO_H
#define COTENANT_TESTS_CONTROL_ECHO_H

#include "features/control/control.h"

extern uint8_t echo_memory[COTENANT_CONTROL_MOST_DATA];

/* The link of the last request. */
extern struct control_link echo_link;

#endif

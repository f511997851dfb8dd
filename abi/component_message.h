/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between a Linux process and the translator component, over a stream or memory channel:
 * either side calls a function of the other by its name, and the other answers. Little-endian, as
 * the hart is.
 */
#ifndef COTENANT_ABI_COMPONENT_MESSAGE_H
#define COTENANT_ABI_COMPONENT_MESSAGE_H

#include <stdint.h>

/* Of the channel. */
#define COMPONENT_CHANNEL "components"

#define COMPONENT_MESSAGE_CALL 1
#define COMPONENT_MESSAGE_ANSWER 2

#define COMPONENT_NAME_SIZE 32
#define COMPONENT_ARGUMENTS 6
/* The most bytes behind a header. */
#define COMPONENT_DATA_SIZE 2000

/* Errors of an answer, where a component's own are those of an invocation. */
#define COMPONENT_OK 0
#define COMPONENT_UNKNOWN (-64) /* there is no function of that name */

/*
 * In front of each message. Data of a call of a component: arguments of 8 bytes each; of its
 * answer: the value, 8 bytes. Of a call of a process and its answer: bytes, as the two agree.
 */
struct component_message {
    uint32_t size; /* of the data behind it */
    uint32_t kind;
    uint64_t id; /* of a call, as the caller likes; its answer has the same */
    int64_t error;
    char name[COMPONENT_NAME_SIZE]; /* of a call: what is to be called; zeros behind it */
};

/* A whole message. In a memory channel each is a message of abi/message_ring.h. */
struct component_frame {
    struct component_message message;
    uint8_t data[COMPONENT_DATA_SIZE];
};

_Static_assert(sizeof(struct component_message) == 56, "the layout is the same everywhere");

#endif

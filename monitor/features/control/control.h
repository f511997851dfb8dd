/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control protocol of abi/control.h: what a tenant with a control port, or the holder of the
 * console line, asks of the monitor.
 *
 * A link is one caller: what has arrived of its request, and what of the answer has not been taken
 * yet. It has one request at a time and is served in pieces of at most CONTROL_STEP_BYTES, so that
 * no call takes long. Everything that comes in is hostile. M-mode with interrupts off, shared lock
 * held; the caller goes on to hart_schedule().
 */
#ifndef COTENANT_FEATURES_CONTROL_CONTROL_H
#define COTENANT_FEATURES_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "abi/dormant.h"

/* Most bytes that a call moves. */
#define CONTROL_STEP_BYTES 512
/* Most bytes that are sent at a stretch: this bounds how long a step takes. */
#define CONTROL_PIECE_BYTES 256
/* Most text in an answer. */
#define CONTROL_TEXT_BYTES 128

/* The caller is no tenant. */
#define CONTROL_OUTSIDE COTENANT_MAX_TENANTS

/* What an answer consists of, apart from a tenant's memory. */
union control_body {
    struct control_version version;
    struct control_tenant tenant;
    struct control_vhart vhart;
    struct dormant_state dormant;
    uint32_t number;
    struct control_found found;
    struct {
        struct control_text header;
        uint8_t bytes[CONTROL_TEXT_BYTES];
    } text;
};

struct control_link {
    uint32_t caller;  /* index of the tenant, or CONTROL_OUTSIDE */
    uint32_t may_see; /* tenants, a bit each */
    uint32_t may_control;
    uint32_t received;   /* bytes of `request` */
    uint32_t data_left;  /* bytes of data that belong to the request and have not come yet */
    uint32_t data_taken; /* bytes of data that the verb has made use of */
    bool complete;       /* all of the request is there: control_carry_out() is next */
    bool carried_out;    /* it is, and the answer is to be made */
    struct control_request request;
    /* The answer: so many bytes of header and body, then bytes of memory. 0, 0: there is none. */
    uint32_t answer_left;
    uint32_t memory_left;
    uint64_t memory; /* address of the next byte */
    uint32_t answer_sent;
    struct {
        struct control_answer header;
        union control_body body;
    } answer;
};

/* A caller with the rights `see` and `control`, a bit for each tenant, and no request. */
void control_init(struct control_link *link, uint32_t caller, uint32_t see, uint32_t control);

/*
 * Takes bytes of a request, but does not carry it out when it is complete; returns how many. 0: the
 * one before is not done with.
 */
uint32_t control_accept(struct control_link *link, const uint8_t *bytes, uint32_t length);

/* Does what a request asks for that is complete, then makes its answer; false: there is none. */
bool control_carry_out(struct control_link *link);

/*
 * Both: takes bytes of a request; returns how many. 0: the answer to the last one has to go first.
 */
uint32_t control_take(struct control_link *link, const uint8_t *bytes, uint32_t length);

/*
 * So many bytes are accepted in a few hundred instructions, at least 1, and none behind the end of
 * the request. Who has to look at interrupts gives no more between two looks. Only if no answer
 * waits and nothing is to be carried out.
 */
uint32_t control_appetite(const struct control_link *link);

/* Bytes of the answer that wait. */
uint32_t control_waiting(const struct control_link *link);

/* Puts the next bytes of the answer into `bytes`; returns how many, at most `room`. */
uint32_t control_look(const struct control_link *link, uint8_t *bytes, uint32_t room);

/*
 * Where they are, for a caller that copies them itself before anything else happens; sets `count`
 * to how many, at most CONTROL_PIECE_BYTES. Only if some wait.
 */
const void *control_next(const struct control_link *link, uint32_t *count);

/* The caller has got the next `count` bytes of the answer, which are there. */
void control_drop(struct control_link *link, uint32_t count);

/* Both. */
static inline uint32_t control_give(struct control_link *link, uint8_t *bytes, uint32_t room)
{
    uint32_t count = control_look(link, bytes, room);

    control_drop(link, count);
    return count;
}

/* Forgets request and answer: the caller has closed its end. */
void control_reset(struct control_link *link);

/*
 * The parts of a request, in verbs.c, called in this order. All return a COTENANT_CONTROL_* status.
 * `control_check`: the request without its data; unless it is good the data are dropped.
 * `control_use`: the next data. `control_finish`: all is there; fills in link->answer.body and sets
 * `length` to its size, or link->memory and link->memory_left.
 */
uint16_t control_check(const struct control_link *link);
uint16_t control_use(struct control_link *link, const uint8_t *bytes, uint32_t length);
uint16_t control_finish(struct control_link *link, uint32_t *length);

/* The tenant whose memory is being read may still be looked at. */
bool control_may_read_on(const struct control_link *link);

#endif

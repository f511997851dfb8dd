/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the tests of networks find out whether datagrams arrive as they were sent. Freestanding: both
 * the program in Linux (netcheck.c) and the one in an RTOS use it.
 *
 * Both ends send messages of stream_message.h at the same time, one in a datagram, and each says in
 * whatever it sends how many it has seen. An end sends no more than WINDOW messages ahead of what
 * the other one has seen: so much room there is everywhere, and then none may be lost. One that is
 * lost all the same is counted when a later one comes. Should all that is under way be lost, the
 * end that began the exchange repeats what it has seen, and is answered with the same.
 */
#ifndef COTENANT_LINUX_TESTS_DATAGRAM_H
#define COTENANT_LINUX_TESTS_DATAGRAM_H

#include "stream_message.h"

#define DATAGRAM_PORT 5001
/* Messages under way in each direction; after a quarter of that they are acknowledged. */
#define DATAGRAM_WINDOW 16
#define DATAGRAM_LONGEST 1456
/* In front of a message, or alone. Little endian, no padding. */
struct datagram_header {
    uint32_t run;     /* names the exchange: a new one begins with a new number */
    uint32_t to_send; /* messages that the one that answers shall send */
    uint32_t longest; /* bytes of the longest message */
    uint32_t seen;    /* messages that came or were passed over by later ones */
};

struct datagram_peer {
    uint32_t run;
    uint32_t longest;
    uint32_t to_send;
    uint32_t sent;
    uint32_t acknowledged; /* by the other end, of those that were sent */
    uint32_t seen;         /* the number of the message that is expected next */
    uint32_t told;         /* the other end knows of so many of them */
    uint32_t received;     /* right ones */
    uint32_t lost;         /* sent by the other end, but passed over by later ones */
    uint32_t wrong;        /* with a byte that is not what was sent, or come twice */
};

/* A datagram. */
struct datagram {
    struct datagram_header header;
    uint64_t words[DATAGRAM_LONGEST / 8];
};

static inline bool datagram_is_right(const struct datagram *datagram, uint32_t length,
                                     uint32_t longest)
{
    uint32_t number = (uint32_t)datagram->words[0];
    uint64_t before = 0;

    if (length != sizeof(datagram->header) + stream_message_length(number, longest)) {
        return false;
    }
    for (uint32_t i = 0; i < (length - sizeof(datagram->header)) / 8; i++) {
        if (!stream_word_is_right(number, longest, i, before, datagram->words[i])) {
            return false;
        }
        before = datagram->words[i];
    }
    return true;
}

/* Takes a datagram of the same run; `length` is at least that of a header. */
static inline void datagram_take(struct datagram_peer *peer, const struct datagram *datagram,
                                 uint32_t length)
{
    uint32_t number = (uint32_t)datagram->words[0];

    if (datagram->header.seen <= peer->sent && datagram->header.seen > peer->acknowledged) {
        peer->acknowledged = datagram->header.seen;
    }
    if (length < sizeof(datagram->header) + 8) {
        return;
    }
    if (!datagram_is_right(datagram, length, peer->longest) || number < peer->seen) {
        peer->wrong++;
        return;
    }
    peer->lost += number - peer->seen;
    peer->seen = number + 1;
    peer->received++;
}

/* The other end waits to hear what has been seen. */
static inline bool datagram_must_acknowledge(const struct datagram_peer *peer)
{
    return peer->seen - peer->told >= DATAGRAM_WINDOW / 4;
}

static inline bool datagram_may_send(const struct datagram_peer *peer)
{
    return peer->sent < peer->to_send && peer->sent - peer->acknowledged < DATAGRAM_WINDOW;
}

/* Makes the next datagram, with a message or without; returns its length. */
static inline uint32_t datagram_make(struct datagram_peer *peer, struct datagram *datagram,
                                     bool with_message)
{
    datagram->header = (struct datagram_header){peer->run, 0, peer->longest, peer->seen};
    peer->told = peer->seen;
    return (uint32_t)sizeof(datagram->header) +
           (with_message ? stream_message_make(datagram->words, peer->sent, peer->longest) : 0);
}

#endif

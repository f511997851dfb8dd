/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window of a memory channel: two rings of messages, one each way, that both ends use without a
 * lock and without the monitor. For tenants of any kind; the monitor never looks into a window. C11
 * with its atomics, freestanding.
 *
 *   offset 0    struct ring_end of end 0; only end 0 writes to it
 *   offset 256  struct ring_end of end 1
 *   offset 512  messages from end 0 to end 1: half of the rest, rounded down to a multiple of 8
 *   behind      messages from end 1 to end 0, as many bytes
 *
 * A message is its length (64 bits) and its bytes, padded to a multiple of 8. It may go on at the
 * start of the ring. Counters are of bytes since the two ends met and never wrap.
 *
 * The other end can write what it likes into all of the window. So what is read there is read once,
 * counters and lengths are compared with what is possible, places are never taken from the window,
 * and a message is copied before it is looked at. What the other end can do is send wrong messages.
 *
 * Sessions: each time an end opens the window it takes a new session number. Two ends have met when
 * each has written down the other's. Who opens anew, after a crash for example, begins with empty
 * rings; the other one's next ring_send() and its next ring_receive() each return RING_APART, and
 * it goes on when they have met again. What was sent before a ring_close() can still be taken.
 *
 *     struct ring ring;
 *
 *     ring_open(&ring, window, size, 0);
 *     length = ring_receive(&ring, bytes, sizeof(bytes));
 *     if (ring_must_ring(&ring)) ...                          store to the doorbell
 *
 * One end of a window is used by one thread at a time. No function waits or loops.
 */
#ifndef COTENANT_ABI_MESSAGE_RING_H
#define COTENANT_ABI_MESSAGE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RING_LINE 64 /* bytes that a cache may keep together */
#define RING_HEADER_SIZE 512
#define RING_MESSAGE_HEADER_SIZE 8

/* What there is instead of a length. */
#define RING_NOT_NOW (-1)  /* there is no message, or no room for this one */
#define RING_APART (-2)    /* the other end is not there, or has begun anew */
#define RING_BROKEN (-3)   /* the other end broke the rules; ring_open() begins anew */
#define RING_TOO_LONG (-4) /* longer than ring_longest() */

/* A direction, as one end sees it. */
#define RING_SENDING 1u
#define RING_RECEIVING 2u
#define RING_BOTH (RING_SENDING | RING_RECEIVING)

/* What one end tells the other. */
struct ring_end {
    _Alignas(RING_LINE) _Atomic uint32_t session; /* odd: open */
    _Atomic uint32_t met;     /* session of the other end that it has begun with; 0: none */
    _Atomic uint32_t waiting; /* RING_RECEIVING: ring when you have sent something; RING_SENDING:
                                 taken; the rest is another number each time */
    _Alignas(RING_LINE) _Atomic uint64_t sent;  /* bytes that it has sent */
    _Alignas(RING_LINE) _Atomic uint64_t taken; /* bytes of the other's that it has taken */
    uint8_t unused[RING_LINE];
};

/* A byte ring, and how far one end is in it. */
struct ring_place {
    uint8_t *bytes;
    uint64_t count;  /* bytes since the ends met */
    uint64_t offset; /* count modulo the ring's size */
};

/* One end's own knowledge, out of the other one's reach. */
struct ring {
    struct ring_end *own;
    struct ring_end *other;
    uint64_t size; /* of each byte ring */
    uint32_t session;
    uint32_t others; /* the other end's session, as last seen */
    uint32_t told;   /* which calls have told of the last change of that */
    uint32_t waits;  /* how often it has waited, in steps of RING_BOTH + 1 */
    uint32_t done;   /* what the other end may wait for, since ring_must_ring() */
    uint32_t rung;   /* the value of other->waiting that was answered */
    bool news;       /* the other end does not know yet what has changed here */
    bool hung_up;    /* as ring_set_hung_up() says */
    bool left;       /* the other end has closed or hung up after the two had met */
    bool broken;
    struct ring_place out;
    struct ring_place in;
    struct { /* of the other end, at the last ring_has_changed() */
        uint32_t session;
        uint32_t met;
        uint64_t sent;
        uint64_t taken;
    } seen;
};

static inline void ring_rewind(struct ring *ring)
{
    ring->out.count = ring->out.offset = 0;
    ring->in.count = ring->in.offset = 0;
    ring->rung = 0;
    ring->left = false;
    ring->broken = false;
    atomic_store_explicit(&ring->own->sent, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->own->taken, 0, memory_order_relaxed);
}

/*
 * Opens a window of `size` bytes, at least 1024, as end 0 or 1, whatever is in it. The other end is
 * to be rung.
 */
static inline void ring_open(struct ring *ring, void *window, uint64_t size, unsigned end)
{
    struct ring_end *ends = window;
    uint8_t *bytes = (uint8_t *)window + RING_HEADER_SIZE;
    uint32_t before;

    *ring = (struct ring){.own = &ends[end & 1], .other = &ends[(end & 1) ^ 1], .news = true};
    ring->size = ((size - RING_HEADER_SIZE) / 2) & ~(uint64_t)7;
    ring->out.bytes = bytes + ((end & 1) != 0 ? ring->size : 0);
    ring->in.bytes = bytes + ((end & 1) != 0 ? 0 : ring->size);
    /* Not the number behind that of the old session, which is what a ring_close() leaves. */
    before = (atomic_load_explicit(&ring->own->session, memory_order_relaxed) | 1) + 3;
    atomic_store_explicit(&ring->own->session, before, memory_order_relaxed);
    /* An end that sees a counter of the new session sees that the old one is over. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ring->own->met, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->own->waiting, 0, memory_order_relaxed);
    ring_rewind(ring);
    ring->session = before | 1;
    atomic_store_explicit(&ring->own->session, ring->session, memory_order_release);
}

/* The other end finds that this one is not there. Ring it. */
static inline void ring_close(struct ring *ring)
{
    atomic_store_explicit(&ring->own->session, ring->session + 1, memory_order_release);
    ring->news = true;
}

/*
 * What the doorbell's port says: an end that was killed says nothing in the window, but has hung up
 * there. While it has, the two are apart.
 */
static inline void ring_set_hung_up(struct ring *ring, bool hung_up)
{
    ring->hung_up = hung_up;
}

/* Bytes of the longest message. */
static inline uint64_t ring_longest(const struct ring *ring)
{
    return ring->size - RING_MESSAGE_HEADER_SIZE;
}

/* Learns of an end that has come, gone or begun anew; whether the two have met. */
static inline bool ring_look(struct ring *ring)
{
    uint32_t others = atomic_load_explicit(&ring->other->session, memory_order_acquire);
    bool met = atomic_load_explicit(&ring->other->met, memory_order_acquire) == ring->session;

    if (met && (ring->others & 1) != 0 &&
        (others == ring->others + 1 || (ring->hung_up && others == ring->others))) {
        ring->left = true;
        return false;
    }
    if (others != ring->others) {
        ring->others = others;
        ring->news = true;
        ring_rewind(ring);
        atomic_store_explicit(&ring->own->met, (others & 1) != 0 ? others : 0,
                              memory_order_release);
        ring->told = 0;
        return false;
    }
    return met && (others & 1) != 0 && !ring->hung_up;
}

/* ring_look() for a call that tells the caller once of each change; `call` is a bit for it. */
static inline bool ring_look_for(struct ring *ring, uint32_t call)
{
    bool told = ring_look(ring) && (ring->told & call) != 0;

    ring->told |= call;
    return told;
}

/* Whether the two ends have met; it counts as told then: the caller begins anew. */
static inline bool ring_is_met(struct ring *ring)
{
    bool met = ring_look(ring);

    ring->told |= RING_SENDING | RING_RECEIVING;
    return met;
}

/* A counter made no sense. */
static inline int ring_fail(struct ring *ring)
{
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&ring->other->session, memory_order_relaxed) != ring->others) {
        return RING_APART; /* it is one of the next session */
    }
    ring->broken = true;
    return RING_BROKEN;
}

static inline void ring_advance(struct ring *ring, struct ring_place *place, uint64_t count)
{
    place->count += count;
    place->offset += count;
    place->offset -= place->offset >= ring->size ? ring->size : 0;
}

/* Bytes of a message with its header. */
static inline uint64_t ring_space(uint64_t length)
{
    return RING_MESSAGE_HEADER_SIZE + ((length + 7) & ~(uint64_t)7);
}

/* Bytes from `offset`, less than twice the size, to the end of the ring; `length` if it has more.
 */
static inline uint64_t ring_first_part(const struct ring *ring, uint64_t *offset, uint64_t length)
{
    *offset -= *offset >= ring->size ? ring->size : 0;
    return length < ring->size - *offset ? length : ring->size - *offset;
}

static inline _Atomic uint64_t *ring_header(const struct ring_place *place)
{
    return (_Atomic uint64_t *)(void *)(place->bytes + place->offset);
}

/* Sends a message. Returns 0, RING_NOT_NOW, RING_APART, RING_BROKEN or RING_TOO_LONG. */
static inline int ring_send(struct ring *ring, const void *bytes, uint32_t length)
{
    uint64_t offset = ring->out.offset + RING_MESSAGE_HEADER_SIZE;
    uint64_t used;
    uint64_t part;

    if (!ring_look_for(ring, RING_SENDING)) {
        return RING_APART;
    }
    if (length > ring_longest(ring)) {
        return RING_TOO_LONG;
    }
    used = ring->out.count - atomic_load_explicit(&ring->other->taken, memory_order_acquire);
    if (ring->broken || used > ring->size) {
        return ring_fail(ring);
    }
    if (ring->size - used < ring_space(length)) {
        return RING_NOT_NOW;
    }
    atomic_store_explicit(ring_header(&ring->out), length, memory_order_relaxed);
    part = ring_first_part(ring, &offset, length);
    memcpy(ring->out.bytes + offset, bytes, part);
    if (part < length) {
        memcpy(ring->out.bytes, (const uint8_t *)bytes + part, length - part);
    }
    ring_advance(ring, &ring->out, ring_space(length));
    atomic_store_explicit(&ring->own->sent, ring->out.count, memory_order_release);
    ring->done |= RING_RECEIVING;
    return 0;
}

/*
 * Takes the next message and copies it, or as much as there is room for. Returns its length,
 * RING_NOT_NOW, RING_APART or RING_BROKEN.
 */
static inline int64_t ring_receive(struct ring *ring, void *bytes, uint32_t room)
{
    uint64_t offset = ring->in.offset + RING_MESSAGE_HEADER_SIZE;
    uint64_t available;
    uint64_t length;
    uint64_t part;

    bool met = ring_look_for(ring, RING_RECEIVING);

    if (!met && !ring->left) {
        return RING_APART;
    }
    available = atomic_load_explicit(&ring->other->sent, memory_order_acquire) - ring->in.count;
    if (available == 0) {
        return ring->broken ? RING_BROKEN : met ? RING_NOT_NOW : RING_APART;
    }
    if (ring->broken || available > ring->size || available < RING_MESSAGE_HEADER_SIZE) {
        return ring_fail(ring);
    }
    length = atomic_load_explicit(ring_header(&ring->in), memory_order_relaxed);
    if (length > ring_longest(ring) || ring_space(length) > available) {
        return ring_fail(ring);
    }
    room = room < length ? room : (uint32_t)length;
    part = ring_first_part(ring, &offset, room);
    memcpy(bytes, ring->in.bytes + offset, part);
    if (part < room) {
        memcpy((uint8_t *)bytes + part, ring->in.bytes, room - part);
    }
    ring_advance(ring, &ring->in, ring_space(length));
    atomic_store_explicit(&ring->own->taken, ring->in.count, memory_order_release);
    ring->done |= RING_SENDING;
    return (int64_t)length;
}

/* Whether the other end has done anything since the last call. */
static inline bool ring_has_changed(struct ring *ring)
{
    uint32_t session = atomic_load_explicit(&ring->other->session, memory_order_relaxed);
    uint32_t met = atomic_load_explicit(&ring->other->met, memory_order_relaxed);
    uint64_t sent = atomic_load_explicit(&ring->other->sent, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&ring->other->taken, memory_order_relaxed);
    bool same = session == ring->seen.session && met == ring->seen.met && sent == ring->seen.sent &&
                taken == ring->seen.taken;

    ring->seen.session = session;
    ring->seen.met = met;
    ring->seen.sent = sent;
    ring->seen.taken = taken;
    return !same;
}

/*
 * To wait, after a call above has returned RING_NOT_NOW or RING_APART. `what` it waits for:
 * RING_RECEIVING, RING_SENDING (room) or both; asks the other end to ring then. Returns whether to
 * wait for the doorbell now: else the other end has done something meanwhile. ring_end_wait()
 * follows in any case, and then the call is made again.
 */
static inline bool ring_begin_wait(struct ring *ring, uint32_t what)
{
    ring->waits += RING_BOTH + 1;
    atomic_store_explicit(&ring->own->waiting, ring->waits | what, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    return !ring_has_changed(ring);
}

static inline void ring_end_wait(struct ring *ring)
{
    atomic_store_explicit(&ring->own->waiting, 0, memory_order_relaxed);
}

/*
 * Whether the other end is to be rung now: after each call above that has sent or taken something,
 * or returned RING_APART. True once for each time that it waits.
 */
static inline bool ring_must_ring(struct ring *ring)
{
    uint32_t waiting;
    uint32_t done = ring->done;
    bool must = ring->news;

    ring->news = false;
    ring->done = 0;
    atomic_thread_fence(memory_order_seq_cst);
    waiting = atomic_load_explicit(&ring->other->waiting, memory_order_relaxed);
    if ((waiting & done) != 0 && waiting != ring->rung) {
        ring->rung = waiting;
        must = true;
    }
    return must;
}

#endif

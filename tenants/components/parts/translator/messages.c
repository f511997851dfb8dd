/* SPDX-License-Identifier: BSD-2-Clause */
#include "messages.h"

#include "abi/message_ring.h"
#include "generated.h"
#include "stream.h"

#define RUNG_AT_ONCE 64

static struct stream_window window; /* size 0: the channel is a stream */
static struct ring ring;
static bool is_met;   /* of a window: whether both ends were there when it was last looked at */
static uint32_t came; /* of a stream: bytes of the next message so far */

static void ring_bell(void)
{
    if (ring_must_ring(&ring)) {
        __asm__ volatile("fence w, o" ::: "memory"); /* what is in the window first */
        *window.doorbell = 1;
    }
}

bool messages_start(void)
{
    came = 0;
    is_met = false;
    if (!stream_start(&window)) {
        return false;
    }
    if (window.size != 0) {
        ring_open(&ring, window.bytes, window.size, window.end);
        ring_bell();
    }
    return true;
}

static bool is_possible(struct component_message *message)
{
    message->name[COMPONENT_NAME_SIZE - 1] = '\0';
    return message->size <= COMPONENT_DATA_SIZE &&
           (message->kind == COMPONENT_MESSAGE_CALL || message->kind == COMPONENT_MESSAGE_ANSWER);
}

static enum arrival take_of_window(struct component_frame *in)
{
    int64_t length;

    ring_set_hung_up(&ring, !stream_is_open());
    ring_has_changed(&ring); /* only what comes from now on is a reason not to wait */
    length = ring_receive(&ring, in, sizeof(*in));
    /* What is told is told for ring_send() too, which else would lose the first answer. */
    is_met = length != RING_APART || ring_is_met(&ring);
    ring_bell();
    if (length < 0) {
        return length == RING_NOT_NOW ? ARRIVED_NOTHING
               : length == RING_APART ? ARRIVED_ANOTHER
                                      : ARRIVED_NONSENSE;
    }
    return length >= (int64_t)sizeof(in->message) && is_possible(&in->message) &&
                   length == (int64_t)(sizeof(in->message) + in->message.size)
               ? ARRIVED_MESSAGE
               : ARRIVED_NONSENSE;
}

static enum arrival take_of_stream(struct component_frame *in)
{
    if (!stream_is_open()) {
        came = 0; /* what a process left unfinished when it closed */
    }
    for (;;) {
        uint32_t whole = sizeof(in->message);
        uint32_t count;

        if (came >= whole) {
            if (!is_possible(&in->message)) {
                return ARRIVED_NONSENSE;
            }
            whole += in->message.size;
        }
        if (came == whole) {
            came = 0;
            return ARRIVED_MESSAGE;
        }
        count = stream_read((uint8_t *)in + came, whole - came);
        if (count == 0) {
            return ARRIVED_NOTHING;
        }
        came += count;
    }
}

enum arrival messages_take(struct component_frame *in)
{
    return window.size != 0 ? take_of_window(in) : take_of_stream(in);
}

bool messages_have_reader(void)
{
    return window.size != 0 ? is_met : stream_is_open();
}

bool messages_send(const struct component_frame *out)
{
    uint32_t whole = (uint32_t)sizeof(out->message) + out->message.size;
    bool is_sent;

    if (window.size == 0) {
        return stream_write(out, whole) == whole;
    }
    is_sent = ring_send(&ring, out, whole) == 0;
    ring_bell();
    return is_sent;
}

bool messages_are_sound(void)
{
    return !stream_has_failed();
}

void messages_wait(uint64_t end, uint64_t *wake)
{
    uint8_t rung[RUNG_AT_ONCE];

    if (window.size == 0) {
        stream_wait(end, wake);
        return;
    }
    stream_read(rung, sizeof(rung)); /* what has been rung is looked at below, or was before */
    if (ring_begin_wait(&ring, RING_RECEIVING)) {
        stream_wait(end, wake);
    }
    ring_end_wait(&ring);
}

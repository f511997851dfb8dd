/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and answers as bytes; what they mean is the matter of verbs.c. */
#include "features/control/control.h"

#include "arch/memory.h"

#define REQUEST_SIZE ((uint32_t)sizeof(struct control_request))
#define MAGIC_SIZE 4
/* Of bytes that are looked at one by one, so many at a stretch. */
#define BYTE_BY_BYTE 2
/* And of the rest of a request's header. */
#define HEADER_PIECE 12
/* Bytes of the request up to and with `length`: what has to be right before data are expected. */
#define HEADER_SIZE ((uint32_t)sizeof(struct control_answer))

void control_init(struct control_link *link, uint32_t caller, uint32_t see, uint32_t control)
{
    *link = (struct control_link){.caller = caller, .may_see = see, .may_control = control};
}

void control_reset(struct control_link *link)
{
    control_init(link, link->caller, link->may_see, link->may_control);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void answer(struct control_link *link, uint16_t status, uint32_t length)
{
    link->answer.header = (struct control_answer){
        .magic = COTENANT_CONTROL_MAGIC,
        .version = COTENANT_CONTROL_VERSION,
        .verb = link->request.verb,
        .status = status,
        .tag = link->request.tag,
        .length = length + link->memory_left,
    };
    link->answer_left = HEADER_SIZE + length;
    link->answer_sent = 0;
    link->received = 0;
}

bool control_carry_out(struct control_link *link)
{
    struct control_answer *header = &link->answer.header;

    if (!link->complete) {
        return false;
    }
    if (link->carried_out) {
        link->complete = false;
        answer(link, header->status, header->length);
        return true;
    }
    link->carried_out = true;
    header->length = 0;
    if (header->status == COTENANT_CONTROL_OK) {
        header->status = control_finish(link, &header->length);
    }
    return true;
}

/* All of the request but its data has come. */
static void begin(struct control_link *link)
{
    uint16_t status = COTENANT_CONTROL_OK;

    link->memory_left = 0;
    link->data_taken = 0;
    link->carried_out = false;
    if (link->request.version != COTENANT_CONTROL_VERSION) {
        status = COTENANT_CONTROL_BAD_VERSION;
    } else if (link->request.length > COTENANT_CONTROL_MOST_DATA) {
        status = COTENANT_CONTROL_BAD_LENGTH;
    }
    if (status != COTENANT_CONTROL_OK) {
        answer(link, status, 0); /* what follows is no request, up to the next magic number */
        return;
    }
    link->data_left = link->request.length;
    link->answer.header.status = control_check(link);
    link->complete = link->data_left == 0;
}

/* Bytes that do not continue a magic number go, and may begin one themselves. */
static void look_for_magic(struct control_link *link, uint8_t byte)
{
    uint8_t expected = (uint8_t)(COTENANT_CONTROL_MAGIC >> 8 * link->received);

    if (byte != expected) {
        link->received = 0;
        expected = (uint8_t)COTENANT_CONTROL_MAGIC;
    }
    if (byte == expected) {
        ((uint8_t *)&link->request)[link->received++] = byte;
    }
}

static uint32_t take_header(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    uint32_t count = smaller(length, REQUEST_SIZE - link->received);

    physical_copy((uint64_t)&link->request + link->received, bytes, count);
    link->received += count;
    if (link->received == REQUEST_SIZE) {
        begin(link);
    }
    return count;
}

static uint32_t take_data(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    uint32_t count = smaller(length, link->data_left);
    uint16_t *status = &link->answer.header.status;

    if (*status == COTENANT_CONTROL_OK) {
        *status = control_use(link, bytes, count);
    }
    link->data_left -= count;
    link->complete = link->data_left == 0;
    return count;
}

uint32_t control_accept(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    uint32_t most = smaller(length, CONTROL_STEP_BYTES);
    uint32_t taken = 0;

    while (taken < most && !link->complete && control_waiting(link) == 0) {
        if (link->received == REQUEST_SIZE) {
            taken += take_data(link, bytes + taken, most - taken);
        } else if (link->received >= MAGIC_SIZE) {
            taken += take_header(link, bytes + taken, most - taken);
        } else {
            look_for_magic(link, bytes[taken]);
            taken++;
        }
    }
    return taken;
}

uint32_t control_take(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    uint32_t taken = control_accept(link, bytes, length);

    while (control_carry_out(link)) {
    }
    return taken;
}

uint32_t control_appetite(const struct control_link *link)
{
    if (link->received < MAGIC_SIZE) {
        return BYTE_BY_BYTE;
    }
    if (link->received < REQUEST_SIZE) {
        return smaller(HEADER_PIECE, REQUEST_SIZE - link->received);
    }
    return smaller(link->request.verb == COTENANT_CONTROL_CONSOLE_WRITE ? BYTE_BY_BYTE
                                                                        : CONTROL_STEP_BYTES,
                   link->data_left);
}

uint32_t control_waiting(const struct control_link *link)
{
    return link->answer_left + link->memory_left;
}

uint32_t control_look(const struct control_link *link, uint8_t *bytes, uint32_t room)
{
    uint32_t most = smaller(room, CONTROL_STEP_BYTES);
    uint32_t count = smaller(most, link->answer_left);
    uint32_t rest = smaller(most - count, link->memory_left);

    physical_copy((uint64_t)bytes, (const uint8_t *)&link->answer + link->answer_sent, count);
    if (rest != 0 && control_may_read_on(link)) {
        physical_copy((uint64_t)(bytes + count), (const void *)link->memory, rest);
    } else {
        physical_clear((uint64_t)(bytes + count), rest); /* the length was promised */
    }
    return count + rest;
}

const void *control_next(const struct control_link *link, uint32_t *count)
{
    static const uint8_t cleared[CONTROL_PIECE_BYTES];
    bool header = link->answer_left != 0;

    *count = smaller(header ? link->answer_left : link->memory_left, CONTROL_PIECE_BYTES);
    if (header) {
        return (const uint8_t *)&link->answer + link->answer_sent;
    }
    return control_may_read_on(link) ? (const void *)link->memory : cleared;
}

void control_drop(struct control_link *link, uint32_t count)
{
    uint32_t first = smaller(count, link->answer_left);
    uint32_t rest = smaller(count - first, link->memory_left);

    link->answer_sent += first;
    link->answer_left -= first;
    link->memory += rest;
    link->memory_left -= rest;
}

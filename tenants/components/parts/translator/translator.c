/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread reads and writes messages (messages.h). Components leave their calls with it, and
 * wait; calls of the process become invocations by its own capabilities. Whatever the process sends
 * is checked: what is no message makes the channel start afresh, and the process sees a hang-up.
 */
#include <string.h>

#include "components/lib/network.h"
#include "components/lib/scheduling.h"
#include "generated.h"
#include "messages.h"

#define MICROSECONDS 1000000
#define RETRY_US 100000

enum state { FREE, ASKED, SENT, DONE };

/* What a thread asks of the process. */
struct request {
    enum state state;
    uint64_t name[2];
    uint64_t address; /* lent: data there, and back */
    uint64_t length;
    uint64_t room;
    uint64_t end; /* ticks */
    uint64_t id;
    uint64_t result;
};

/* What the process may call: whatever this component may. */
static const struct {
    const char *name;
    int64_t capability;
} functions[] = {CAPABILITIES_BY_NAME};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static struct request requests[THREADS];
static volatile uint64_t callers; /* threads whose requests are not done, a mask */
static BUFFER struct component_frame in;
static BUFFER struct component_frame out;
static uint64_t calls;
static uint64_t own_thread;
static uint64_t ticks_per_us;
static bool is_started;
static uint64_t to_wake; /* a thread that is, with the next wait; 0: none */

static void wake_now(void)
{
    if (to_wake != 0) {
        kernel_event(SCHEDULE_WAKE, to_wake, 0, 0);
        to_wake = 0;
    }
}

static void finish(struct request *request, uint64_t result)
{
    request->result = result;
    __atomic_fetch_and(&callers, ~(1ull << (request - requests)), __ATOMIC_RELAXED);
    __atomic_store_n(&request->state, DONE, __ATOMIC_RELEASE);
    wake_now();
    to_wake = (uint64_t)(request - requests);
}

/* The header and `size` bytes of out.data. If there is no room the channel starts afresh. */
static void send(uint32_t size)
{
    out.message.size = size;
    if (!messages_send(&out)) {
        is_started = false;
    }
}

static void send_request(struct request *request)
{
    if (request->length != 0 && !copy_from_lent(out.data, request->address, request->length)) {
        finish(request, NETWORK_FAILED);
        return;
    }
    request->id = ++calls * THREADS + (uint64_t)(request - requests);
    request->state = SENT;
    out.message = (struct component_message){.kind = COMPONENT_MESSAGE_CALL, .id = request->id};
    memcpy(out.message.name, request->name, sizeof(request->name));
    send((uint32_t)request->length);
}

static void take_answer(void)
{
    struct request *request = &requests[in.message.id % THREADS];
    uint64_t size = in.message.size < request->room ? in.message.size : request->room;

    if (request->state != SENT || request->id != in.message.id) {
        return;
    }
    if (in.message.error != COMPONENT_OK ||
        (size != 0 && !copy_to_lent(request->address, in.data, size))) {
        size = NETWORK_FAILED;
    }
    finish(request, size);
}

/* The process calls: an invocation, which returns soon, for none of `functions` waits. */
static void take_call(void)
{
    uint64_t words[COMPONENT_ARGUMENTS] = {0};
    struct result result = {.error = COMPONENT_UNKNOWN};

    memcpy(words, in.data, in.message.size < sizeof(words) ? in.message.size : sizeof(words));
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        if (strcmp(in.message.name, functions[i].name) == 0) {
            result = component_invoke(functions[i].capability, words[0], words[1], words[2],
                                      words[3], words[4], words[5]);
            break;
        }
    }
    out.message = (struct component_message){
        .kind = COMPONENT_MESSAGE_ANSWER, .id = in.message.id, .error = result.error};
    memcpy(out.data, &result.value, sizeof(result.value));
    send(result.error == OK ? sizeof(result.value) : 0);
}

/* Calls that a process did not answer before another one came. */
static void give_up_sent(void)
{
    for (uint64_t thread = 0; thread < THREADS; thread++) {
        if (requests[thread].state == SENT) {
            finish(&requests[thread], NETWORK_FAILED);
        }
    }
}

/* What has come. False: it makes no sense, or the process does not take the answers. */
static bool take_messages(void)
{
    while (is_started) {
        switch (messages_take(&in)) {
        case ARRIVED_MESSAGE:
            if (in.message.kind == COMPONENT_MESSAGE_CALL) {
                take_call();
            } else {
                take_answer();
            }
            break;
        case ARRIVED_ANOTHER:
            give_up_sent();
            return true;
        case ARRIVED_NOTHING:
            return true;
        default:
            return false;
        }
    }
    return false;
}

/* Sends what is asked; what has waited for too long, or cannot be sent, fails. */
static void serve_requests(void)
{
    uint64_t open = callers;
    bool can_send = open != 0 && is_started && messages_have_reader();

    for (uint64_t thread = 0; open >> thread != 0; thread++) {
        struct request *request = &requests[thread];
        enum state state = __atomic_load_n(&request->state, __ATOMIC_ACQUIRE);

        if ((state == ASKED || state == SENT) && (!can_send || time_now() >= request->end)) {
            finish(request, NETWORK_FAILED);
        } else if (state == ASKED) {
            send_request(request);
        }
    }
}

static uint64_t next_end(void)
{
    uint64_t next = UINT64_MAX;
    uint64_t open = callers;

    for (uint64_t thread = 0; open >> thread != 0; thread++) {
        if (requests[thread].state == SENT && requests[thread].end < next) {
            next = requests[thread].end;
        }
    }
    return next;
}

void thread_translate(uint64_t unused)
{
    (void)unused;
    ticks_per_us = argument("timebase-hz") / MICROSECONDS;
    own_thread = thread_self();
    for (;;) {
        if (!is_started) {
            is_started = messages_start();
        }
        if (!is_started) {
            serve_requests();
            wake_now();
            kernel_event(SCHEDULE_WAIT, time_now() + RETRY_US * ticks_per_us, 0, 0);
            continue;
        }
        is_started = take_messages() && messages_are_sound();
        serve_requests();
        if (is_started) {
            messages_wait(next_end(), &to_wake);
        }
        wake_now(); /* it did not wait */
    }
}

/*
 * Calls the function of that name, its first 16 bytes, that the process serves, with `length` bytes
 * at `address`, where up to `room` bytes of the answer go: how many. NETWORK_FAILED: the process
 * refuses, does not answer in time, or is not there. The caller lends that memory.
 */
uint64_t export_call(uint64_t word0, uint64_t word1, uint64_t address, uint64_t length,
                     uint64_t room, uint64_t duration_us)
{
    uint64_t self = thread_self();
    struct request *request = &requests[self];

    if (length > COMPONENT_DATA_SIZE || own_thread == 0) {
        return NETWORK_FAILED;
    }
    request->name[0] = word0;
    request->name[1] = word1;
    request->address = address;
    request->length = length;
    request->room = room;
    request->end = time_now() + duration_us * ticks_per_us;
    __atomic_fetch_or(&callers, 1ull << self, __ATOMIC_RELAXED);
    __atomic_store_n(&request->state, ASKED, __ATOMIC_RELEASE);
    while (__atomic_load_n(&request->state, __ATOMIC_ACQUIRE) != DONE) {
        kernel_event(SCHEDULE_WAIT, 0, 0, own_thread);
    }
    request->state = FREE;
    return request->result;
}

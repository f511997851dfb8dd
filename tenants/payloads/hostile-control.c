/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speaks to the monitor at its control port without a pause: nonsense, and requests of every verb
 * about every tenant, whatever it may do with them. A tenant of higher priority is measured beside
 * it.
 *
 * Arguments: say=LETTERS: what it says, one of them after the other at random
 *                n   bytes that are nothing
 *                m   beginnings of the magic number
 *                r   requests that only ask
 *                w   requests with data: memory of a tenant, its console, its state
 *                z   zeros of the victim to find and to make, as many as a request may ask for
 *                c   commands, to tenant `victim` only
 *            victim=N (0)   place=0x...: memory of the victim, 64 KiB   seed=N
 */
#include <string.h>

#include "abi/control.h"
#include "abi/dormant.h"
#include "rt/channel.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/trap.h"

#define LETTERS 16
#define MOST_BYTES CHANNEL_BUFFER_SIZE
#define TENANTS 4
#define LINES 64

const char payload_name[] = "hostile-control";

static struct random source;
static struct channel *port;
static uint32_t victim;
static uint64_t place;
static union {
    struct control_request request;
    uint8_t bytes[MOST_BYTES];
} buffer;

static uint32_t below(uint64_t limit)
{
    return (uint32_t)random_below(&source, limit);
}

/* What comes is of no interest; it makes room for more. */
static void say(uint32_t length)
{
    uint8_t answer[MOST_BYTES];

    while (channel_write(port, buffer.bytes, length, false) == 0) {
        (void)channel_read(port, answer, sizeof(answer));
    }
    while (channel_read(port, answer, sizeof(answer)) != 0) {
    }
}

static void say_nonsense(void)
{
    for (uint32_t i = 0; i < MOST_BYTES / sizeof(uint64_t); i++) {
        ((uint64_t *)buffer.bytes)[i] = random_next(&source);
    }
    say(1 + below(MOST_BYTES));
}

static void say_beginnings(void)
{
    static const char beginnings[] = "CTRCCTCTR";

    for (uint32_t i = 0; i < MOST_BYTES; i++) {
        buffer.bytes[i] = (uint8_t)beginnings[i % (sizeof(beginnings) - 1)];
    }
    say(1 + below(MOST_BYTES));
}

static void request(uint32_t verb, uint32_t item, uint64_t position, uint32_t length)
{
    buffer.request = (struct control_request){
        .magic = COTENANT_CONTROL_MAGIC,
        .version = COTENANT_CONTROL_VERSION,
        .verb = (uint8_t)verb,
        .tenant = verb == COTENANT_CONTROL_VERSION_GET || verb == COTENANT_CONTROL_LOG_READ ||
                          verb == COTENANT_CONTROL_TRACE_READ
                      ? 0
                      : below(TENANTS),
        .item = item,
        .position = position,
        .length = length,
    };
}

static void ask(void)
{
    static const uint8_t verbs[] = {
        COTENANT_CONTROL_VERSION_GET,  COTENANT_CONTROL_TENANT_GET, COTENANT_CONTROL_VHART_GET,
        COTENANT_CONTROL_CONSOLE_READ, COTENANT_CONTROL_LOG_READ,   COTENANT_CONTROL_TRACE_READ,
        COTENANT_CONTROL_STATE_GET,
    };

    request(verbs[below(sizeof(verbs))], 0, 0, 0);
    say(sizeof(struct control_request));
}

static void write(void)
{
    static const uint8_t verbs[] = {
        COTENANT_CONTROL_CONSOLE_WRITE,
        COTENANT_CONTROL_MEMORY_WRITE,
        COTENANT_CONTROL_STATE_SET,
    };
    uint32_t verb = verbs[below(sizeof(verbs))];
    uint32_t length = verb == COTENANT_CONTROL_STATE_SET
                          ? sizeof(struct dormant_state)
                          : MOST_BYTES - sizeof(struct control_request);

    request(verb, 0, verb == COTENANT_CONTROL_MEMORY_WRITE ? place : 0, length);
    if (verb != COTENANT_CONTROL_CONSOLE_WRITE) {
        buffer.request.tenant = victim;
    }
    say(sizeof(struct control_request) + length);
}

static void zeros(void)
{
    uint32_t verb = COTENANT_CONTROL_MEMORY_FIND + below(2);

    request(verb, COTENANT_CONTROL_MOST_ZEROS, place, 0);
    buffer.request.tenant = victim;
    say(sizeof(struct control_request));
}

static void command(void)
{
    request(COTENANT_CONTROL_COMMAND, below(COTENANT_COMMAND_SWITCH + 1), 0, 0);
    buffer.request.tenant = victim;
    say(sizeof(struct control_request));
}

static void say_something(char letter)
{
    switch (letter) {
    case 'n':
        say_nonsense();
        break;
    case 'm':
        say_beginnings();
        break;
    case 'r':
        ask();
        break;
    case 'w':
        write();
        break;
    case 'z':
        zeros();
        break;
    case 'c':
        command();
        break;
    default:
        check(false, "what is %c", letter);
    }
}

void main(void)
{
    char letters[LETTERS];

    source = random_from(platform_number("seed", 1));
    victim = (uint32_t)platform_number("victim", 0);
    place = platform_number("place", 0);
    platform_word("say", "nm", letters, LETTERS);
    interrupts_disable();
    check(channels_start(), "there is no virtual console");
    port = channel_open("cotenant.control");
    check(port != NULL, "there is no control port");
    for (unsigned i = 0; i < LINES; i++) {
        print("hostile-control: what it may read of its own console, line %u of many\n", i);
    }
    print("hostile-control: begins\n");
    for (;;) {
        say_something(letters[below(strlen(letters))]);
    }
}

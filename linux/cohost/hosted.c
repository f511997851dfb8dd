/* SPDX-License-Identifier: BSD-2-Clause */
#include "hosted.h"

#include <pthread.h>
#include <time.h>

#include "machine.h"
#include "memory.h"
#include "say.h"

#define PAGE 4096
/* Pauses of a millisecond until an answer other than "later" is there. */
#define MOST_PAUSES 2000

struct hosted hosted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void hosted_open(const struct range *registers)
{
    uint64_t pages;

    machine_map_registers(registers->address, registers->size);
    if (machine_read(COTENANT_HOSTED_IDENTITY) != COTENANT_HOSTED_MAGIC) {
        fail_start("the monitor of this machine has another version of the interface for guests");
    }
    hosted.slots = machine_read(COTENANT_HOSTED_SLOTS);
    hosted.vharts = machine_read(COTENANT_HOSTED_VHARTS);
    hosted.memory = machine_read(COTENANT_HOSTED_MEMORY);
    hosted.entries = machine_read(COTENANT_HOSTED_ENTRIES);
    pages = 1 + hosted.slots * COTENANT_HOSTED_SLOT_PAGES;
    if (hosted.slots > COTENANT_HOSTED_MAX_SLOTS || hosted.vharts > COTENANT_HOSTED_SLOT_PAGES ||
        registers->size < pages * COTENANT_HOSTED_PAGE) {
        fail_start("the monitor's registers for guests do not hold what they should");
    }
}

uint32_t hosted_ask(struct hosted_request *request)
{
    /* The page's beginning; the run pages are behind. */
    volatile struct hosted_request *shared = (volatile struct hosted_request *)memory.shared;
    uint32_t result;

    pthread_mutex_lock(&lock);
    request->result = COTENANT_HOSTED_PENDING;
    *shared = *request;
    machine_write(COTENANT_HOSTED_REQUEST, memory.shared_address);
    *request = *shared;
    result = request->result;
    pthread_mutex_unlock(&lock);
    return result;
}

static void pause_ms(void)
{
    const struct timespec pause = {0, 1000000};

    nanosleep(&pause, NULL);
}

/* Asks again while the answer is "later". */
static uint32_t ask_patiently(struct hosted_request *request)
{
    uint32_t result = hosted_ask(request);

    for (unsigned i = 0; i < MOST_PAUSES && result == COTENANT_HOSTED_BUSY; i++) {
        pause_ms();
        result = hosted_ask(request);
    }
    return result;
}

static const char *reason_of(uint32_t result)
{
    static const char *const reasons[] = {
        [COTENANT_HOSTED_OK] = "nothing is wrong",
        [COTENANT_HOSTED_INVALID] = "the request is not valid",
        [COTENANT_HOSTED_STATE] = "the guest is not in the state for it",
        [COTENANT_HOSTED_BUSY] = "the guest is busy",
        [COTENANT_HOSTED_RANGE] = "the memory is not this system's own, or another guest has it",
        [COTENANT_HOSTED_LIMIT] = "it is more than the configuration allows",
    };

    return result < sizeof(reasons) / sizeof(reasons[0]) ? reasons[result] : "no answer";
}

void hosted_must(struct hosted_request *request, const char *what)
{
    uint32_t result = ask_patiently(request);

    if (result != COTENANT_HOSTED_OK) {
        fail_start("the monitor refuses to %s: %s", what, reason_of(result));
    }
}

void hosted_create(unsigned vharts)
{
    for (unsigned slot = 0; slot < hosted.slots; slot++) {
        struct hosted_request request = {
            .operation = COTENANT_HOSTED_CREATE,
            .slot = slot,
            .vhart = vharts,
        };
        uint32_t result = ask_patiently(&request);

        if (result == COTENANT_HOSTED_OK) {
            hosted.slot = slot;
            hosted.token = request.token;
            return;
        }
        if (result != COTENANT_HOSTED_STATE) {
            fail_start("the monitor refuses to make a guest: %s", reason_of(result));
        }
    }
    fail_start("all %u guests that the configuration allows are there already",
               (unsigned)hosted.slots);
}

void hosted_destroy(unsigned slot, uint32_t token)
{
    struct hosted_request request = {
        .operation = COTENANT_HOSTED_DESTROY,
        .slot = slot,
        .token = token,
    };

    /* Until there is no such guest; the first answer says which one is meant. */
    (void)ask_patiently(&request);
}

uint32_t hosted_start(unsigned vhart, uint64_t entry, uint64_t argument)
{
    struct hosted_request request = {
        .operation = COTENANT_HOSTED_START,
        .slot = hosted.slot,
        .token = hosted.token,
        .vhart = vhart,
        .address = entry,
        .argument = argument,
        /* They are those of the vhart's thread, and the kernel keeps them with it. */
        .size = COTENANT_HOSTED_START_SHARES_FP,
        .run = memory.shared_address + (uint64_t)(vhart + 1) * PAGE,
    };

    return ask_patiently(&request);
}

volatile struct hosted_run *hosted_run_page(unsigned vhart)
{
    return (volatile struct hosted_run *)(memory.shared + (size_t)(vhart + 1) * PAGE);
}

void hosted_turn(unsigned vhart, const volatile bool *kicked)
{
    uint64_t page = 1 + hosted.slot * COTENANT_HOSTED_SLOT_PAGES + vhart;

    machine_turn(page * COTENANT_HOSTED_PAGE, hosted.token, kicked);
}

void hosted_line(unsigned source, bool high)
{
    machine_write(COTENANT_HOSTED_LINE, hosted.slot | source << COTENANT_HOSTED_LINE_SOURCE_SHIFT |
                                            (high ? COTENANT_HOSTED_LINE_HIGH : 0));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of the control protocol, good and bad, in pieces of any size, while the tenants change
 * their states. Every answer must be a whole one; memory of who runs must neither be written nor
 * come out, and nothing changes for tenants that the caller may not control.
 */
#include <assert.h>
#include <string.h>

#include "control_bench.h"
#include "features/control/control.h"
#include "fuzz.h"

#define PRIVATE 0xa5 /* what fills the memory of the one who runs */
#define OTHER BENCH_EMPTY

static struct control_link link;

/* The answer that is coming out. */
static struct {
    struct control_answer header;
    uint32_t length;
} answer;

static void take_answer(struct fuzz_input *input, uint32_t room)
{
    uint8_t bytes[CONTROL_STEP_BYTES + 1];
    uint32_t waiting = control_waiting(&link);
    uint32_t count = control_give(&link, bytes, room % sizeof(bytes));

    (void)input;
    assert(count <= room && count <= CONTROL_STEP_BYTES &&
           control_waiting(&link) == waiting - count);
    for (uint32_t i = 0; i < count; i++) {
        if (answer.length < sizeof(answer.header)) {
            ((uint8_t *)&answer.header)[answer.length] = bytes[i];
        } else if (answer.header.verb == COTENANT_CONTROL_MEMORY_READ ||
                   (answer.header.verb == COTENANT_CONTROL_MEMORY_FIND &&
                    answer.length >= sizeof(answer.header) + sizeof(struct control_found))) {
            assert(bytes[i] != PRIVATE);
        }
        answer.length++;
    }
    if (control_waiting(&link) == 0 && answer.length != 0) {
        assert(answer.length == sizeof(answer.header) + answer.header.length);
        assert(answer.header.magic == COTENANT_CONTROL_MAGIC);
        assert(answer.header.status <= COTENANT_CONTROL_REFUSED);
        answer.length = 0;
    }
}

static void put(const uint8_t *bytes, uint32_t length)
{
    bool waits = control_waiting(&link) != 0;
    uint32_t taken = control_take(&link, bytes, length);

    assert(taken <= length && taken <= CONTROL_STEP_BYTES);
    assert(waits ? taken == 0 : length == 0 || taken > 0);
}

static void put_request(struct fuzz_input *input)
{
    uint32_t tenant = fuzz_byte(input) % 5;
    uint8_t what = fuzz_byte(input);
    struct control_request request = {
        .magic = COTENANT_CONTROL_MAGIC,
        .version = what == 0 ? 0 : COTENANT_CONTROL_VERSION,
        .verb = fuzz_byte(input) % 17,
        .tenant = tenant,
        .item = (what & 1) != 0 ? fuzz_byte(input) * ((what & 16) != 0 ? 8u : 1u) : 0,
        .length = (what & 2) != 0 ? fuzz_byte(input) * 17u : 0,
    };

    if ((what & 4) != 0) {
        request.position = fuzz_word(input);
    } else if ((what & 8) != 0 && tenant < BENCH_CONTROL_TENANTS) {
        request.position =
            (uint64_t)bench_memory[tenant] + fuzz_byte(input) * ((what & 16) != 0 ? 32u : 33u);
    }
    put((const uint8_t *)&request, sizeof(request));
}

static void change_state(uint8_t what)
{
    struct tenant *tenant = &tenants[what % 2];

    tenant->state = (enum tenant_state)(what / 2 % (COTENANT_STATE_LOADING + 1));
    memset(bench_memory[tenant->index],
           tenant->state == TENANT_RUNNING || tenant->state == TENANT_LOADING ||
                   tenant->state == TENANT_STOPPING
               ? PRIVATE
               : 0,
           BENCH_MEMORY);
}

static void check(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        bool rests = tenants[i].state != TENANT_RUNNING && tenants[i].state != TENANT_LOADING &&
                     tenants[i].state != TENANT_STOPPING;

        for (uint32_t byte = 0; !rests && byte < BENCH_MEMORY; byte++) {
            assert(bench_memory[i][byte] == PRIVATE);
        }
    }
    for (uint32_t byte = 0; byte < BENCH_MEMORY; byte++) {
        assert(bench_memory[OTHER][byte] == 0);
    }
    assert(bench_commanded != &tenants[OTHER]);
    assert(ring_used(&tenants[OTHER].uart.receive) == 0);
}

int fuzz_control(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};

    control_bench_init();
    bench_commanded = NULL;
    change_state(TENANT_RUNNING * 2);
    control_init(&link, 0, 1 << OTHER, 1 << 0 | 1 << 1);
    answer.length = 0;
    while (input.size > 0) {
        uint8_t operation = fuzz_byte(&input);
        uint8_t bytes[256];

        memset(bytes, operation & 0x7f, sizeof(bytes));
        switch (operation % 8) {
        case 0:
        case 1:
        case 2:
            put_request(&input);
            break;
        case 3:
            put(bytes, fuzz_byte(&input));
            break;
        case 4:
        case 5:
            take_answer(&input, fuzz_byte(&input) * 5u);
            break;
        case 6:
            change_state(fuzz_byte(&input));
            break;
        default:
            put(data, size < 64 ? (uint32_t)size : 64);
            break;
        }
    }
    check();
    return 0;
}

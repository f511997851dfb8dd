/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ends of abi/message_ring.h in two threads, both ways at once, under ThreadSanitizer. A
 * semaphore is the doorbell: a ring that is missed is a test that does not end.
 */
#include <pthread.h>
#include <semaphore.h>

#include "abi/message_ring.h"
#include "cmocka_tests.h"
#include "linux/tests/stream_message.h"

#define SIZE 2048
#define LONGEST 512
#define MESSAGES 20000
#define RESTARTS 200

struct end {
    struct ring ring;
    unsigned number;
    unsigned restarts; /* how often it is to begin anew */
    sem_t bell;
    sem_t *others_bell;
    uint32_t sent; /* messages since the ends met */
    uint32_t received;
    uint32_t meetings;
};

static _Alignas(4096) uint8_t window[SIZE];

static void ring_bell(struct end *end)
{
    if (ring_must_ring(&end->ring)) {
        sem_post(end->others_bell);
    }
}

/* One message each way, as far as it can be; false: nothing could be done. */
static bool work(struct end *end)
{
    uint64_t words[LONGEST / 8];
    uint32_t length = stream_message_make(words, end->sent, LONGEST);
    struct stream_receiver receiver = {.longest = LONGEST, .number = end->received};
    int sent = end->sent < MESSAGES ? ring_send(&end->ring, words, length) : RING_NOT_NOW;
    int64_t received;

    if (sent == 0) {
        end->sent++;
    } else if (sent == RING_APART) {
        end->sent = 0;
        end->meetings++;
    }
    received = ring_receive(&end->ring, words, sizeof(words));
    if (received >= 0) {
        assert_true(stream_receive(&receiver, (uint8_t *)words, (uint32_t)received));
        assert_int_equal(receiver.number, ++end->received);
    } else if (received == RING_APART) {
        end->received = 0;
    }
    assert_true(sent != RING_BROKEN && received != RING_BROKEN);
    ring_bell(end);
    return sent == 0 || received >= 0;
}

static bool is_done(const struct end *end)
{
    return end->sent == MESSAGES && end->received == MESSAGES;
}

static void *run(void *argument)
{
    struct end *end = argument;

    ring_open(&end->ring, window, SIZE, end->number);
    while (!is_done(end)) {
        if (end->restarts > 0 && end->received > end->restarts) {
            end->restarts--;
            ring_open(&end->ring, window, SIZE, end->number);
            end->sent = 0;
            end->received = 0;
        }
        if (work(end)) {
            continue;
        }
        if (ring_begin_wait(&end->ring, RING_BOTH) && !is_done(end)) {
            sem_wait(&end->bell);
        }
        ring_end_wait(&end->ring);
    }
    return NULL;
}

static void exchange(unsigned restarts)
{
    static struct end ends[2];
    pthread_t threads[2];

    memset(ends, 0, sizeof(ends));
    for (unsigned i = 0; i < 2; i++) {
        ends[i].number = i;
        ends[i].restarts = restarts;
        ends[i].others_bell = &ends[1 - i].bell;
        sem_init(&ends[i].bell, 0, 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, &ends[i]), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_true(is_done(&ends[i]));
        assert_true(ends[i].meetings > restarts);
    }
}

static void test_both_ways_at_once(void **state)
{
    (void)state;
    exchange(0);
}

static void test_ends_that_begin_anew(void **state)
{
    (void)state;
    exchange(RESTARTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways_at_once),
        cmocka_unit_test(test_ends_that_begin_anew),
    };

    return cmocka_run_group_tests_name("message_ring_threads", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The shared lock, by threads of this machine in the place of harts. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "message_storm.h"

#define HARTS 4
#define ROUNDS 20000
#define MANY_LOOKS 100

struct hart harts[COTENANT_MAX_HARTS];
static sem_t wakes[HARTS];
static unsigned sleeps;
static unsigned looks; /* of those that wait */
static unsigned inside;
static uint64_t counter;
static unsigned most_inside;

/* Others would have the processor to themselves on a machine with fewer processors than threads. */
void remote_fence_serve(struct hart *hart)
{
    (void)hart;
    __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
    sched_yield();
}

void messages_sleep(struct hart *hart)
{
    __atomic_add_fetch(&sleeps, 1, __ATOMIC_RELAXED);
    sem_wait(&wakes[hart->index]);
}

void messages_wake(struct hart *hart)
{
    sem_post(&wakes[hart->index]);
}

static void *enter_and_leave(void *argument)
{
    struct hart *hart = argument;

    for (unsigned round = 0; round < ROUNDS; round++) {
        shared_enter(hart);
        if (__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) > most_inside) {
            most_inside = inside;
        }
        counter++; /* not atomic: the lock makes it so */
        __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
        shared_leave(hart);
    }
    return NULL;
}

static void test_one_at_a_time(void **state)
{
    pthread_t threads[HARTS];

    (void)state;
    for (uint32_t i = 0; i < HARTS; i++) {
        harts[i].index = i;
        sem_init(&wakes[i], 0, 0);
        assert_int_equal(pthread_create(&threads[i], NULL, enter_and_leave, &harts[i]), 0);
    }
    for (uint32_t i = 0; i < HARTS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(counter, HARTS * ROUNDS);
    assert_int_equal(most_inside, 1);
}

static void *enter(void *argument)
{
    shared_enter(argument);
    return NULL;
}

/* Each of those that wait sleeps sooner or later, and is woken when it is its turn. */
static void test_long_waits_are_slept_through(void **state)
{
    pthread_t threads[HARTS];
    unsigned before = sleeps;

    (void)state;
    shared_enter(&harts[0]);
    for (uint32_t i = 1; i < HARTS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, enter, &harts[i]), 0);
    }
    while (__atomic_load_n(&sleeps, __ATOMIC_RELAXED) < before + HARTS - 1) {
        sched_yield();
    }
    for (uint32_t i = 0; i < HARTS; i++) {
        assert_int_equal(shared_is_wanted(&harts[i]), i < HARTS - 1);
        shared_leave(&harts[i]);
        if (i < HARTS - 1) {
            pthread_join(threads[i + 1], NULL);
        }
    }
    assert_int_equal(sleeps, before + HARTS - 1);
    assert_false(shared_is_wanted(&harts[0]));
}

static void test_wanted_hart_gives_up(void **state)
{
    (void)state;
    csr_file_write("mip", INTERRUPT_MTI);
    assert_true(shared_try_enter(&harts[1])); /* free: taken all the same */
    assert_false(shared_is_wanted(&harts[1]));
    assert_false(shared_try_enter(&harts[2]));
    assert_false(shared_try_enter(&harts[0]));
    shared_leave(&harts[1]);
    /* Nobody was left behind in the queue. */
    assert_true(shared_try_enter(&harts[3]));
    shared_leave(&harts[3]);
    csr_file_write("mip", 0);
}

static void *try_enter(void *argument)
{
    bool entered = shared_try_enter(argument);

    __atomic_add_fetch(&looks, MANY_LOOKS, __ATOMIC_RELAXED); /* it looks no more */
    return entered ? argument : NULL;
}

/* It waits for its turn, however many messages other harts send meanwhile. */
static void test_messages_end_no_wait(void **state)
{
    unsigned before = looks;
    pthread_t thread;
    void *entered;

    (void)state;
    shared_enter(&harts[1]);
    message_storm_begin(&harts[2]);
    assert_int_equal(pthread_create(&thread, NULL, try_enter, &harts[2]), 0);
    while (__atomic_load_n(&looks, __ATOMIC_RELAXED) < before + MANY_LOOKS) {
        sched_yield();
    }
    shared_leave(&harts[1]);
    pthread_join(thread, &entered);
    assert_ptr_equal(entered, &harts[2]);
    shared_leave(&harts[2]);
    message_storm_end(&harts[2]);
}

static void test_single_hart_has_nothing_to_lock(void **state)
{
    struct hart alone = {.features = HART_ALONE};

    (void)state;
    shared_enter(&alone);
    assert_true(shared_try_enter(&alone));
    shared_leave(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_long_waits_are_slept_through),
        cmocka_unit_test(test_wanted_hart_gives_up),
        cmocka_unit_test(test_messages_end_no_wait),
        cmocka_unit_test(test_single_hart_has_nothing_to_lock),
    };

    return cmocka_run_group_tests_name("shared lock", tests, NULL, NULL);
}

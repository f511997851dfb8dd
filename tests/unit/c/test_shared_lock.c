/* SPDX-License-Identifier: BSD-2-Clause */
/* The shared lock, by threads of this machine in the place of harts. */
#include <pthread.h>
#include <string.h>

#include "arch/csr.h"
#include "arch/remote_fence.h"
#include "cmocka_tests.h"
#include "core/shared_lock.h"

#define HARTS 4
#define ROUNDS 20000

static struct hart harts_here[HARTS];
static unsigned inside;
static uint64_t counter;
static unsigned most_inside;

/* Others would have the processor to themselves on a machine with fewer processors than threads. */
void remote_fence_serve(struct hart *hart)
{
    (void)hart;
    sched_yield();
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
        harts_here[i].index = i;
        assert_int_equal(pthread_create(&threads[i], NULL, enter_and_leave, &harts_here[i]), 0);
    }
    for (uint32_t i = 0; i < HARTS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(counter, HARTS * ROUNDS);
    assert_int_equal(most_inside, 1);
}

static void test_wanted_hart_gives_up(void **state)
{
    (void)state;
    csr_file_write("mip", INTERRUPT_MTI);
    assert_true(shared_try_enter(&harts_here[1])); /* free: taken all the same */
    assert_false(shared_is_wanted(&harts_here[1]));
    assert_false(shared_try_enter(&harts_here[2]));
    assert_false(shared_try_enter(&harts_here[0]));
    shared_leave(&harts_here[1]);
    /* Nobody was left behind in the queue. */
    assert_true(shared_try_enter(&harts_here[3]));
    shared_leave(&harts_here[3]);
    csr_file_write("mip", 0);
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
        cmocka_unit_test(test_wanted_hart_gives_up),
        cmocka_unit_test(test_single_hart_has_nothing_to_lock),
    };

    return cmocka_run_group_tests_name("shared lock", tests, NULL, NULL);
}

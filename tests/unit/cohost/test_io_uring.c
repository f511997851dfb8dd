/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linux/cohost/io_uring.c over the kernel of this machine: reads of pipes are operations that are
 * under way for as long as the test wants. Exit code 77: this kernel does not let us.
 */
#include "io_uring.h"

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

#define REFUSED 77
#define WAKES 2000
#define MANY 200
#define PAUSE_US 20000

/* A read of a byte out of a pipe. */
struct pipe_read {
    struct io_operation operation; /* the first member */
    int ends[2];
    char byte;
    struct iovec piece;
    int result;
    pthread_t by; /* who has found out that it is done */
    sem_t done;
};

void fail_start(const char *format, ...)
{
    fprintf(stderr, "%s\n", format);
    abort();
}

static void note(struct io_operation *operation, int result)
{
    struct pipe_read *one = (struct pipe_read *)operation;

    one->result = result;
    one->by = pthread_self();
    sem_post(&one->done);
}

static void add(struct pipe_read *one)
{
    memset(one, 0, sizeof(*one));
    one->operation.done = note;
    assert(pipe(one->ends) == 0);
    one->piece = (struct iovec){&one->byte, 1};
    sem_init(&one->done, 0, 0);
    io_uring_transfer(&one->operation, one->ends[0], false, &one->piece, 1, 0);
}

static void complete(const struct pipe_read *one)
{
    assert(write(one->ends[1], "x", 1) == 1);
}

static void end(struct pipe_read *one)
{
    assert(one->result == 1 && one->byte == 'x');
    close(one->ends[0]);
    close(one->ends[1]);
    sem_destroy(&one->done);
}

static bool is_done(struct pipe_read *one)
{
    return sem_trywait(&one->done) == 0;
}

static void test_what_is_done_at_once(void)
{
    struct pipe_read one;

    add(&one);
    complete(&one);
    io_uring_start();
    sem_wait(&one.done); /* by this thread, or another if the kernel has taken its time */
    end(&one);
}

static void test_nobody_waits(void)
{
    struct pipe_read one;

    add(&one);
    io_uring_start();
    assert(!is_done(&one));
    complete(&one);
    sem_wait(&one.done);
    assert(!pthread_equal(one.by, pthread_self()));
    end(&one);
    assert(!io_uring_begin_wait()); /* there is nothing to wait for */
}

static void *complete_later(void *argument)
{
    usleep(PAUSE_US);
    complete(argument);
    return NULL;
}

static void test_who_waits_finds_out(void)
{
    struct pipe_read one;
    pthread_t thread;

    add(&one);
    io_uring_start();
    assert(io_uring_begin_wait());
    assert(!io_uring_begin_wait()); /* one at a time */
    pthread_create(&thread, NULL, complete_later, &one);
    assert(io_uring_wait(NULL));
    io_uring_end_wait();
    sem_wait(&one.done);
    assert(pthread_equal(one.by, pthread_self()));
    end(&one);
    pthread_join(thread, NULL);
}

static void test_a_limit(void)
{
    const struct timespec limit = {0, 1000000};
    struct pipe_read one;

    add(&one);
    io_uring_start();
    assert(io_uring_begin_wait());
    assert(!io_uring_wait(&limit));
    io_uring_end_wait();
    assert(!is_done(&one));
    complete(&one);
    sem_wait(&one.done);
    end(&one);
}

static void *wake_often(void *argument)
{
    sem_t *waits = argument;

    for (int i = 0; i < WAKES; i++) {
        sem_wait(waits);
        io_uring_wake();
    }
    return NULL;
}

/* A wake that comes before the thread is in the kernel, or when it is there already, counts. */
static void test_waking(void)
{
    struct pipe_read one;
    pthread_t thread;
    sem_t waits;

    sem_init(&waits, 0, 0);
    add(&one);
    io_uring_start();
    pthread_create(&thread, NULL, wake_often, &waits);
    for (int i = 0; i < WAKES; i++) {
        assert(io_uring_begin_wait());
        sem_post(&waits);
        assert(io_uring_wait(NULL));
        io_uring_end_wait();
    }
    pthread_join(thread, NULL);
    complete(&one);
    sem_wait(&one.done);
    end(&one);
}

static void *complete_all(void *argument)
{
    struct pipe_read *all = argument;

    for (int i = 0; i < MANY; i++) {
        complete(&all[i]);
    }
    return NULL;
}

/* Each is done once, whoever finds out, while a thread begins to wait and ends that. */
static void test_many_at_once(void)
{
    static struct pipe_read all[MANY];
    const struct timespec limit = {0, 100000};
    pthread_t thread;

    for (int i = 0; i < MANY; i++) {
        add(&all[i]);
        if (i % 7 == 0) {
            io_uring_start();
        }
    }
    io_uring_start();
    pthread_create(&thread, NULL, complete_all, all);
    while (io_uring_begin_wait()) {
        (void)io_uring_wait(&limit);
        io_uring_end_wait();
    }
    pthread_join(thread, NULL);
    for (int i = 0; i < MANY; i++) {
        sem_wait(&all[i].done);
        assert(!is_done(&all[i]));
        end(&all[i]);
    }
}

static void test_errors(void)
{
    struct pipe_read one;

    add(&one);
    io_uring_start();
    complete(&one);
    sem_wait(&one.done);
    end(&one);
    io_uring_transfer(&one.operation, -1, false, &one.piece, 1, 0);
    sem_init(&one.done, 0, 0);
    io_uring_start();
    sem_wait(&one.done);
    assert(one.result < 0);
}

int main(void)
{
    if (!io_uring_open()) {
        return REFUSED;
    }
    assert(io_uring_open());
    test_what_is_done_at_once();
    test_nobody_waits();
    test_who_waits_finds_out();
    test_a_limit();
    test_waking();
    test_many_at_once();
    test_errors();
    return 0;
}

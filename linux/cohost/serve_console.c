/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux waits in a loop for its output to be taken, so nobody who looks at it may make it wait for
 * long: who takes nothing for a while is let go.
 */
#include "serve_console.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "pieces.h"
#include "running.h"
#include "say.h"
#include "viewers.h"
#include "virtio_mmio.h"

#define TYPED_SIZE 4096
#define PATIENCE_S 2

enum { QUEUE_RECEIVE, QUEUE_TRANSMIT, QUEUE_COUNT };
enum { POLL_EVENT = VIEWERS_POLLS, POLL_COUNT };

static struct {
    struct virtio virtio;
    int event;            /* there is something to show, or room for keys */
    pthread_mutex_t lock; /* for what follows, and the viewers */
    pthread_cond_t changed;
    uint8_t typed[TYPED_SIZE];
    size_t typed_count;
} console = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wake_viewers(void)
{
    const uint64_t one = 1;

    (void)!write(console.event, &one, sizeof(one));
}

static struct timespec end_of_patience(void)
{
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PATIENCE_S;
    return end;
}

/* Nobody is waited for for ever. What wakes the viewers' thread has it tell of a change, too. */
static void put_out(const uint8_t *bytes, size_t count)
{
    struct timespec end = end_of_patience();

    pthread_mutex_lock(&console.lock);
    while (count > 0) {
        size_t taken = viewers_put(bytes, count);

        bytes += taken;
        count -= taken;
        if (taken > 0) {
            wake_viewers();
            end = end_of_patience();
        } else if (pthread_cond_timedwait(&console.changed, &console.lock, &end) != 0) {
            viewers_drop_slow();
        }
    }
    pthread_mutex_unlock(&console.lock);
}

static void *run_transmitter(void *argument)
{
    struct virtio_request request;

    (void)argument;
    for (;;) {
        virtio_take(&console.virtio, QUEUE_TRANSMIT, &request);
        for (unsigned i = 0; i < request.read_count; i++) {
            put_out(request.read[i].iov_base, request.read[i].iov_len);
        }
        virtio_give_back(&console.virtio, QUEUE_TRANSMIT, &request, 0);
    }
    return NULL;
}

/* Moves keys into a request's memory. */
static uint32_t give_keys(const struct virtio_request *request)
{
    size_t given;

    pthread_mutex_lock(&console.lock);
    given = pieces_put(request->write, request->write_count, console.typed, console.typed_count);
    console.typed_count -= given;
    memmove(console.typed, console.typed + given, console.typed_count);
    wake_viewers();
    pthread_mutex_unlock(&console.lock);
    return (uint32_t)given;
}

static void *run_receiver(void *argument)
{
    struct virtio_request request;

    (void)argument;
    for (;;) {
        pthread_mutex_lock(&console.lock);
        while (console.typed_count == 0) {
            pthread_cond_wait(&console.changed, &console.lock);
        }
        pthread_mutex_unlock(&console.lock);
        virtio_take(&console.virtio, QUEUE_RECEIVE, &request);
        virtio_give_back(&console.virtio, QUEUE_RECEIVE, &request, give_keys(&request));
    }
    return NULL;
}

/* Shows output and reads keys, of all who are attached. */
static void *run_viewers(void *argument)
{
    struct pollfd wait[POLL_COUNT];
    uint64_t number;

    (void)argument;
    for (;;) {
        pthread_mutex_lock(&console.lock);
        viewers_show();
        viewers_prepare(wait, console.typed_count < TYPED_SIZE);
        pthread_cond_broadcast(&console.changed);
        pthread_mutex_unlock(&console.lock);
        wait[POLL_EVENT] = (struct pollfd){console.event, POLLIN, 0};
        if (poll(wait, POLL_COUNT, -1) < 0) {
            continue;
        }
        if (wait[POLL_EVENT].revents != 0) {
            (void)!read(console.event, &number, sizeof(number));
        }
        pthread_mutex_lock(&console.lock);
        console.typed_count += viewers_serve(wait, console.typed + console.typed_count,
                                             TYPED_SIZE - console.typed_count);
        pthread_mutex_unlock(&console.lock);
    }
    return NULL;
}

void serve_console_add(const char *tenant)
{
    static void *(*const threads[])(void *) = {run_transmitter, run_receiver, run_viewers};
    char path[RUNNING_PATH_SIZE];
    pthread_condattr_t monotonic;

    running_served_console(path, tenant);
    viewers_open(path, -1);
    console.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (console.event < 0) {
        fail_errno("make", "an eventfd");
    }
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&console.changed, &monotonic);
    console.virtio.id = VIRTIO_ID_CONSOLE;
    console.virtio.queue_count = QUEUE_COUNT;
    virtio_add(&console.virtio);
    for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, threads[i], NULL) != 0) {
            fail_start("there is no thread for the console");
        }
    }
}

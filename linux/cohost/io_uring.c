/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One io_uring for all disks and vharts. Without a thread that looks at the completions, or is
 * about to, the kernel signals an eventfd, which this file's own thread waits for. While a thread
 * waits in the kernel for completions no other one takes them: it may have been told of one that is
 * meant to wake it.
 */
#include "io_uring.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "say.h"

/* Of both rings; completions that find no room are kept by the kernel. */
#define SUBMISSIONS (2 * IO_URING_MOST)
#define COMPLETIONS (4 * IO_URING_MOST)
#define FEATURES                                                                                   \
    (IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE |                    \
     IORING_FEAT_RW_CUR_POS | IORING_FEAT_EXT_ARG)
/* Completions that a thread takes at a time, and how often before others see to the rest. */
#define BATCH 16
#define MOST_BATCHES 8
#define RETRY_NS 1000000
#define MOST_FILES 8

static struct {
    int file, event;
    pthread_t thread;
    int files[MOST_FILES]; /* that the kernel keeps at hand */
    unsigned file_count;
    atomic_uint under_way;

    pthread_mutex_t submitting; /* for these */
    struct io_uring_sqe *submissions;
    uint32_t *submission_head, *submission_tail;
    uint32_t submission_mask, tail;

    pthread_mutex_t completing; /* for these */
    struct io_uring_cqe *completions;
    uint32_t *completion_head, *completion_tail, *completion_flags;
    uint32_t completion_mask;
    unsigned looking; /* threads that will look at the completions */
    bool waiting;     /* a thread waits for completions, or is about to: they are its own */
} ring = {
    .file = -1,
    .submitting = PTHREAD_MUTEX_INITIALIZER,
    .completing = PTHREAD_MUTEX_INITIALIZER,
};

static int enter(unsigned count, unsigned least, unsigned flags, const void *argument, size_t size)
{
    return (int)syscall(SYS_io_uring_enter, ring.file, count, least, flags, argument, size);
}

static void poke_own_thread(void)
{
    const uint64_t one = 1;

    (void)!write(ring.event, &one, sizeof(one));
}

/* With the lock. The kernel fails only where it has no memory now. */
static void submit(void)
{
    const struct timespec pause = {0, RETRY_NS};
    uint32_t left;

    while ((left = ring.tail - __atomic_load_n(ring.submission_head, __ATOMIC_ACQUIRE)) != 0) {
        if (enter(left, 0, 0, NULL, 0) < 0 && errno != EINTR) {
            nanosleep(&pause, NULL);
        }
    }
}

static void submit_added(void)
{
    if (__atomic_load_n(ring.submission_tail, __ATOMIC_RELAXED) ==
        __atomic_load_n(ring.submission_head, __ATOMIC_RELAXED)) {
        return; /* what another thread adds now, it begins itself */
    }
    pthread_mutex_lock(&ring.submitting);
    submit();
    pthread_mutex_unlock(&ring.submitting);
}

/* With the lock. */
static void add(const struct io_uring_sqe *operation)
{
    if (ring.tail - __atomic_load_n(ring.submission_head, __ATOMIC_ACQUIRE) ==
        ring.submission_mask + 1) {
        submit();
    }
    ring.submissions[ring.tail & ring.submission_mask] = *operation;
    __atomic_store_n(ring.submission_tail, ++ring.tail, __ATOMIC_RELEASE);
}

/* A file that the kernel keeps at hand is named by its number there. */
static void name_file(struct io_uring_sqe *operation, int file)
{
    unsigned number = 0;

    while (number < ring.file_count && ring.files[number] != file) {
        number++;
    }
    operation->fd = number < ring.file_count ? (int)number : file;
    operation->flags = number < ring.file_count ? IOSQE_FIXED_FILE : 0;
}

void io_uring_know(int file)
{
    struct io_uring_files_update update = {.offset = ring.file_count, .fds = (uintptr_t)&file};

    if (file >= 0 && ring.file_count < MOST_FILES &&
        syscall(SYS_io_uring_register, ring.file, IORING_REGISTER_FILES_UPDATE, &update, 1) == 1) {
        ring.files[ring.file_count++] = file;
    }
}

static void add_operation(struct io_uring_sqe *operation, int file)
{
    name_file(operation, file);
    atomic_fetch_add(&ring.under_way, 1);
    pthread_mutex_lock(&ring.submitting);
    add(operation);
    pthread_mutex_unlock(&ring.submitting);
}

void io_uring_transfer(struct io_operation *operation, int file, bool write,
                       const struct iovec *pieces, unsigned number, uint64_t offset)
{
    struct io_uring_sqe request = {
        .opcode = write ? IORING_OP_WRITEV : IORING_OP_READV,
        .off = offset,
        .addr = (uintptr_t)pieces,
        .len = number,
        .user_data = (uintptr_t)operation,
    };

    if (number == 1 && pieces->iov_len <= UINT32_MAX) {
        request.opcode = write ? IORING_OP_WRITE : IORING_OP_READ;
        request.addr = (uintptr_t)pieces->iov_base;
        request.len = (uint32_t)pieces->iov_len;
    }
    add_operation(&request, file);
}

void io_uring_sync_data(struct io_operation *operation, int file)
{
    struct io_uring_sqe request = {
        .opcode = IORING_OP_FSYNC,
        .fsync_flags = IORING_FSYNC_DATASYNC,
        .user_data = (uintptr_t)operation,
    };

    add_operation(&request, file);
}

static bool have_completions(void)
{
    return __atomic_load_n(ring.completion_tail, __ATOMIC_ACQUIRE) != *ring.completion_head;
}

/* With the lock: has the kernel signal the eventfd exactly when no thread looks by itself. */
static void set_signal(void)
{
    bool wanted = ring.looking == 0 && !ring.waiting;

    __atomic_store_n(ring.completion_flags, wanted ? 0 : IORING_CQ_EVENTFD_DISABLED,
                     __ATOMIC_RELAXED);
    if (wanted) {
        /* What came before the kernel can have seen this is seen here. */
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (have_completions()) {
            poke_own_thread();
        }
    }
}

/* With the lock: takes completions if they are this thread's to take. Returns how many. */
static unsigned take(struct io_uring_cqe *found, bool waits)
{
    unsigned count = 0;

    while (ring.waiting == waits && count < BATCH && have_completions()) {
        found[count++] = ring.completions[*ring.completion_head & ring.completion_mask];
        __atomic_store_n(ring.completion_head, *ring.completion_head + 1, __ATOMIC_RELEASE);
    }
    return count;
}

static void tell(const struct io_uring_cqe *found, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct io_operation *operation = (struct io_operation *)(uintptr_t)found[i].user_data;

        if (operation != NULL) {
            atomic_fetch_sub(&ring.under_way, 1);
            operation->done(operation, found[i].res);
        }
    }
    submit_added();
}

/*
 * Sees to what is done, and looks no more. Each may be the reason for others that are done at once:
 * what is then left is for the next one who looks.
 */
static void finish(bool waits)
{
    struct io_uring_cqe found[BATCH];
    unsigned count = 0;

    for (unsigned i = 0;; i++) {
        pthread_mutex_lock(&ring.completing);
        count = i < MOST_BATCHES ? take(found, waits) : 0;
        if (count == 0) {
            break;
        }
        pthread_mutex_unlock(&ring.completing);
        tell(found, count);
    }
    ring.looking -= !waits;
    ring.waiting &= !waits;
    set_signal();
    pthread_mutex_unlock(&ring.completing);
}

void io_uring_start(void)
{
    pthread_mutex_lock(&ring.completing);
    ring.looking++;
    set_signal();
    pthread_mutex_unlock(&ring.completing);
    submit_added();
    finish(false);
}

bool io_uring_begin_wait(void)
{
    bool begins;

    if (atomic_load(&ring.under_way) == 0) {
        return false;
    }
    pthread_mutex_lock(&ring.completing);
    begins = !ring.waiting;
    ring.waiting = true;
    set_signal();
    pthread_mutex_unlock(&ring.completing);
    return begins;
}

bool io_uring_wait(const struct timespec *limit)
{
    struct __kernel_timespec time;
    struct io_uring_getevents_arg argument = {.ts = 0};

    if (limit != NULL) {
        time = (struct __kernel_timespec){limit->tv_sec, limit->tv_nsec};
        argument.ts = (uintptr_t)&time;
    }
    return enter(0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument,
                 sizeof(argument)) >= 0 ||
           errno != ETIME;
}

void io_uring_end_wait(void)
{
    finish(true);
}

void io_uring_wake(void)
{
    const struct io_uring_sqe nothing = {.opcode = IORING_OP_NOP};

    pthread_mutex_lock(&ring.submitting);
    add(&nothing);
    submit();
    pthread_mutex_unlock(&ring.submitting);
}

static void *run(void *argument)
{
    uint64_t number;

    (void)argument;
    for (;;) {
        if (read(ring.event, &number, sizeof(number)) == sizeof(number)) {
            io_uring_start();
        }
    }
    return NULL;
}

static uint8_t *map(size_t size, uint64_t offset)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.file,
                (off_t)offset);
}

static bool map_rings(const struct io_uring_params *parameters)
{
    size_t submissions = parameters->sq_off.array + parameters->sq_entries * sizeof(uint32_t);
    size_t completions =
        parameters->cq_off.cqes + parameters->cq_entries * sizeof(struct io_uring_cqe);
    uint8_t *both = map(submissions > completions ? submissions : completions, IORING_OFF_SQ_RING);
    void *entries = map(parameters->sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);

    if (both == MAP_FAILED || entries == MAP_FAILED) {
        return false;
    }
    ring.submissions = entries;
    ring.submission_head = (uint32_t *)(both + parameters->sq_off.head);
    ring.submission_tail = (uint32_t *)(both + parameters->sq_off.tail);
    ring.submission_mask = parameters->sq_entries - 1;
    ring.completions = (struct io_uring_cqe *)(both + parameters->cq_off.cqes);
    ring.completion_head = (uint32_t *)(both + parameters->cq_off.head);
    ring.completion_tail = (uint32_t *)(both + parameters->cq_off.tail);
    ring.completion_flags = (uint32_t *)(both + parameters->cq_off.flags);
    ring.completion_mask = parameters->cq_entries - 1;
    for (uint32_t i = 0; i < parameters->sq_entries; i++) {
        ((uint32_t *)(both + parameters->sq_off.array))[i] = i;
    }
    return true;
}

/* Room for files, none of which is there yet. Without it they are named as usual. */
static void make_file_table(void)
{
    int none[MOST_FILES];

    for (unsigned i = 0; i < MOST_FILES; i++) {
        none[i] = -1;
    }
    (void)syscall(SYS_io_uring_register, ring.file, IORING_REGISTER_FILES, none, MOST_FILES);
}

static bool set_up(void)
{
    struct io_uring_params parameters = {
        .flags = IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL,
        .cq_entries = COMPLETIONS,
    };

    ring.file = (int)syscall(SYS_io_uring_setup, SUBMISSIONS, &parameters);
    ring.event = eventfd(0, EFD_CLOEXEC);
    return ring.file >= 0 && ring.event >= 0 && (parameters.features & FEATURES) == FEATURES &&
           map_rings(&parameters) &&
           syscall(SYS_io_uring_register, ring.file, IORING_REGISTER_EVENTFD, &ring.event, 1) == 0;
}

bool io_uring_open(void)
{
    static enum { UNKNOWN, OPEN, REFUSED } state;

    if (state == UNKNOWN) {
        state = set_up() ? OPEN : REFUSED;
        make_file_table();
        if (state == OPEN && pthread_create(&ring.thread, NULL, run, NULL) != 0) {
            fail_start("there is no thread for the guest's disks");
        }
    }
    return state == OPEN;
}

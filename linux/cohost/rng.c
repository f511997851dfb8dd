/* SPDX-License-Identifier: BSD-2-Clause */
#include "rng.h"

#include <pthread.h>
#include <sys/random.h>

#include "say.h"
#include "virtio_mmio.h"

#define ID_ENTROPY 4
/* At most so much for one request, whose size the guest chooses. */
#define MOST_BYTES 4096

static struct {
    struct virtio virtio;
    pthread_t thread;
} rng;

static uint32_t fill(const struct virtio_request *request)
{
    const struct iovec *piece = &request->write[0];
    ssize_t size;

    if (request->write_count == 0) {
        return 0;
    }
    size = getrandom(piece->iov_base, piece->iov_len < MOST_BYTES ? piece->iov_len : MOST_BYTES, 0);
    return size > 0 ? (uint32_t)size : 0;
}

static void *run_rng(void *argument)
{
    struct virtio_request request;

    (void)argument;
    for (;;) {
        virtio_take(&rng.virtio, 0, &request);
        virtio_give_back(&rng.virtio, 0, &request, fill(&request));
    }
    return NULL;
}

void rng_add(void)
{
    rng.virtio.id = ID_ENTROPY;
    rng.virtio.queue_count = 1;
    virtio_add(&rng.virtio);
    if (pthread_create(&rng.thread, NULL, run_rng, NULL) != 0) {
        fail_start("there is no thread for the entropy device");
    }
}

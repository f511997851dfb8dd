/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of the store by which a library tells its device of a request: what the monitor does for
 * it, and about ten instructions around it. A program that measures includes this and then the
 * library's source, which is thereby in the program with a clock in it.
 */
#ifndef COTENANT_BENCH_TIMED_NOTIFY_H
#define COTENANT_BENCH_TIMED_NOTIFY_H

#include "rt/csr.h"
#include "rt/virtio_mmio.h"

/* Of the last one, in cycles. */
static uint64_t notify_cycles;

static void timed_notify(const struct virtio_device *device, const struct virtio_queue *queue)
{
    uint64_t before = csr_read(cycle);

    virtio_notify(device, queue);
    notify_cycles = csr_read(cycle) - before;
}

#define virtio_notify timed_notify

#endif

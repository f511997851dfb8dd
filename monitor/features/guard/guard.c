/* SPDX-License-Identifier: BSD-2-Clause */
/* What a driver does for each message. */
#include "features/guard/guard.h"

#include "core/feature.h"
#include "device/virtio_registers.h"

/* Section 2.1. */
#define STATUS_DRIVER_OK 0x04
/* Descriptors that are copied in a row. */
#define MOST_STEPS 16

struct guard guards[COTENANT_MAX_GUARDED];
uint32_t guard_count;

static bool is_live(const struct guard *guard)
{
    return !guard->broken && !guard->resetting && (guard->status & STATUS_DRIVER_OK) != 0;
}

/*
 * Passes on what the driver has made available in any queue: when it notifies, and when it
 * acknowledges an interrupt. A device may have withdrawn its wish to be notified (section 2.7.10)
 * at any time since the last look, so that a driver did not notify; but it has something in hand
 * then, of which it tells by an interrupt later.
 */
static enum mmio_result serve(struct guard *guard, struct vhart *vhart)
{
    unsigned steps = MOST_STEPS;

    if (!is_live(guard)) {
        return MMIO_DONE;
    }
    for (uint32_t i = 0; i < guard->type->queues; i++) {
        struct shadow_queue *queue = &guard->queues[i];

        while (queue->ready && shadow_listen(queue)) {
            if (steps == 0) {
                return MMIO_AGAIN;
            }
            if (!shadow_copy(queue, vhart->tenant, &steps, guard->base)) {
                guard_stop_broken(guard, vhart);
                return MMIO_DONE;
            }
            if (shadow_publish(queue)) {
                guard_write(guard, REG_QUEUE_NOTIFY, i);
            }
        }
    }
    return MMIO_DONE;
}

/* What a driver does for each message: with words, to a device that is there. */
static enum mmio_result work(struct guard *guard, struct vhart *vhart, uint32_t offset,
                             uint64_t *value)
{
    switch (offset) {
    case REG_INTERRUPT_STATUS:
        *value = guard_read(guard, offset);
        return MMIO_DONE;
    case REG_INTERRUPT_ACKNOWLEDGE:
        guard_write(guard, offset, (uint32_t)*value);
        return serve(guard, vhart);
    default: /* a notification; of a queue in which nothing is new, the device has heard */
        return serve(guard, vhart);
    }
}

static bool is_work(const struct guard *guard, uint32_t offset, uint32_t size, bool store)
{
    return size == sizeof(uint32_t) && guard->type != NULL &&
           (store ? offset == REG_QUEUE_NOTIFY || offset == REG_INTERRUPT_ACKNOWLEDGE
                  : offset == REG_INTERRUPT_STATUS);
}

/*
 * Out of line: what drivers do for each message does not pay for its registers. The device may have
 * begun to work with its new status.
 */
static enum mmio_result __attribute__((noinline))
set_up(struct guard *guard, struct vhart *vhart, uint32_t offset, uint32_t size, bool store,
       uint64_t *value)
{
    guard_set_up(guard, vhart, offset, size, store, value);
    return store && offset == REG_STATUS ? serve(guard, vhart) : MMIO_DONE;
}

enum mmio_result guard_access(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                              uint64_t *value)
{
    struct guard *guard = guard_at(vhart->tenant, address);
    uint32_t offset;

    if (guard == NULL) {
        return MMIO_FAULT;
    }
    offset = (uint32_t)(address - guard->base);
    if (is_work(guard, offset, size, store)) {
        return work(guard, vhart, offset, value);
    }
    return set_up(guard, vhart, offset, size, store, value);
}

static bool is_guarded_register(const struct tenant *tenant, uint64_t address)
{
    return guard_at(tenant, address) != NULL;
}

MMIO_WINDOW(is_guarded_register, guard_access);
FEATURE(guard);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What types of virtual devices call, for the entries of their proofs: queues with any content at
 * each look, and what virtio.c does with them. Nothing but the device, the queue and the bytes is
 * accessed, as the proofs of virtqueue.c and virtio.c say.
 */
#ifndef COTENANT_TESTS_PROOFS_ANY_QUEUES_H
#define COTENANT_TESTS_PROOFS_ANY_QUEUES_H

#include "features/virtio/virtio.h"
#include "one_hart.h"

struct virtio_device virtio_devices[COTENANT_MAX_VIRTUAL_DEVICES];

static void is_device(const struct virtio_device *device)
{
    //@ assert \valid_read(device);
    (void)device;
}

static void is_queue(const struct virtqueue *queue)
{
    //@ assert \valid_read(queue);
    (void)queue;
}

static enum virtqueue_state any_state(struct virtqueue *queue, enum virtqueue_state most)
{
    is_queue(queue);
    queue->open = any_bool();
    queue->more = any_bool();
    queue->left = any32();
    queue->next = (uint16_t)any32();
    queue->used_index = (uint16_t)any32();
    return (enum virtqueue_state)any_up_to(most);
}

uint16_t virtqueue_available(const struct virtqueue *queue)
{
    is_queue(queue);
    return (uint16_t)any32();
}

bool virtqueue_has_chain(const struct virtqueue *queue)
{
    is_queue(queue);
    return any_bool();
}

uint32_t virtqueue_read(struct virtqueue *from, void *bytes, uint32_t most)
{
    uint32_t count = any_up_to(most);

    any_state(from, 0);
    //@ assert most == 0 || \valid((uint8_t *)bytes + (0 .. most - 1));
    if (most != 0) {
        Frama_C_make_unknown(bytes, most);
    }
    return count;
}

uint32_t virtqueue_write(struct virtqueue *to, const void *bytes, uint32_t most)
{
    any_state(to, 0);
    //@ assert most == 0 || \valid_read((const uint8_t *)bytes + (0 .. most - 1));
    (void)bytes;
    to->written = any32();
    return any_up_to(most);
}

bool virtqueue_finish(struct virtqueue *queue)
{
    any_state(queue, 0);
    return any_bool();
}

void virtqueue_rewind(struct virtqueue *queue)
{
    any_state(queue, 0);
    queue->written = 0;
}

void virtqueue_ask(struct virtqueue *queue, bool notify_)
{
    is_queue(queue);
    queue->quiet = !notify_;
}

bool virtio_is_live(const struct virtio_device *device)
{
    is_device(device);
    return any_bool();
}

enum virtqueue_state virtio_look(struct virtio_device *device, struct virtqueue *queue, bool fill_)
{
    is_device(device);
    (void)fill_;
    queue->written = any32();
    return any_state(queue, VIRTQUEUE_BROKEN);
}

enum virtqueue_state virtio_look_on(struct virtio_device *device, struct virtqueue *queue,
                                    bool fill_)
{
    is_device(device);
    (void)fill_;
    return any_state(queue, VIRTQUEUE_LATER);
}

enum virtqueue_state virtio_look_for_room(struct virtio_device *device, struct virtqueue *queue)
{
    return virtio_look(device, queue, true);
}

void virtio_finish(struct virtio_device *device, struct virtqueue *queue)
{
    is_device(device);
    any_state(queue, 0);
}

enum virtqueue_state virtio_take(struct virtio_device *device, struct virtqueue *queue, void *bytes,
                                 uint32_t length, uint32_t *taken)
{
    is_device(device);
    //@ assert *taken <= length;
    //@ assert \valid((uint8_t *)bytes + (0 .. length - 1));
    Frama_C_make_unknown(bytes, length);
    *taken = any_up_to(length);
    return any_state(queue, VIRTQUEUE_LATER);
}

enum virtqueue_state virtio_fill(struct virtio_device *device, struct virtqueue *queue,
                                 const void *bytes, uint32_t length)
{
    is_device(device);
    //@ assert queue->written <= length;
    //@ assert \valid_read((const uint8_t *)bytes + (0 .. length - 1));
    (void)bytes;
    queue->written = any_up_to(length);
    return any_state(queue, VIRTQUEUE_LATER);
}

bool virtio_put(struct virtio_device *device, struct virtqueue *queue, const void *bytes,
                uint32_t length)
{
    is_device(device);
    //@ assert length == 0 || \valid_read((const uint8_t *)bytes + (0 .. length - 1));
    (void)bytes;
    (void)length;
    any_state(queue, 0);
    return any_bool();
}

void virtio_interrupt(struct virtio_device *device, uint8_t reason)
{
    is_device(device);
    (void)reason;
}

void virtio_tell_change(struct virtio_device *device)
{
    is_device(device);
}

bool virtio_may_tell(struct virtio_device *device, const struct event_limit *limit)
{
    is_device(device);
    return limit->interval == 0 || any_bool();
}

void virtio_told(struct event_limit *limit)
{
    limit->until = any64();
}

void virtio_tell_again(struct virtio_device *device)
{
    is_device(device);
}

void virtio_set_limit(struct event_limit *limit, uint32_t per_second)
{
    (void)per_second;
    limit->interval = any64();
    limit->until = 0;
}

bool virtio_copy(struct virtqueue *to, struct virtqueue *from, uint32_t most)
{
    (void)most;
    any_state(to, 0);
    to->written = any32();
    any_state(from, 0);
    return any_bool();
}

bool virtio_copy_on(struct virtqueue *to, struct virtqueue *from)
{
    return virtio_copy(to, from, UINT32_MAX);
}

/* A step or none: more of them are those of calls that come later. */
bool virtio_work(bool (*step_)(void *subject), void *subject)
{
    return any_bool() && !step_(subject);
}

bool virtio_work_for_sender(bool (*step_)(void *subject), void *subject,
                            const struct virtqueue *from, struct virtqueue *to)
{
    is_queue(from);
    is_queue(to);
    return virtio_work(step_, subject);
}

bool virtio_is_wanted(void)
{
    return any_bool();
}

#endif

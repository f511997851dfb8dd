/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any accesses to the registers of a virtual device of any type, and any calls of their types, in
 * any order with resets and what is put off. Queues and types are stand-ins.
 */
#include "core/hart.h"
#include "core/hooks.h"
#include "proof.h"

#include "features/virtio/virtio.c"

#define BASE 0x20000000ul
#define BYTES 64

static bool has_some(const struct virtio_device *device)
{
    //@ assert \valid_read(device);
    (void)device->status;
    return any_bool();
}

static void is_one(struct virtio_device *device)
{
    //@ assert \valid(device);
    device->tell_at = any64();
}

static uint32_t any_id(const struct virtio_device *device)
{
    (void)device;
    return any32();
}

static uint64_t any_features(const struct virtio_device *device)
{
    (void)device;
    return any64();
}

static uint32_t queue_count(const struct virtio_device *device)
{
    (void)device;
    return any_up_to(VIRTIO_MOST_QUEUES);
}

static uint32_t read_configuration(const struct virtio_device *device, uint32_t offset,
                                   uint32_t size)
{
    (void)device;
    (void)offset;
    //@ assert 1 <= size <= 4;
    (void)size;
    return any32();
}

static void write_configuration(struct virtio_device *device, uint32_t offset, uint32_t size,
                                uint32_t value)
{
    (void)offset;
    (void)value;
    //@ assert 1 <= size <= 4;
    (void)size;
    is_one(device);
}

static bool notify_type(struct virtio_device *device, uint32_t queue)
{
    //@ assert queue < VIRTIO_MOST_QUEUES;
    (void)queue;
    is_one(device);
    return any_bool();
}

static void queue_stopped(struct virtio_device *device, uint32_t queue)
{
    //@ assert queue < VIRTIO_MOST_QUEUES;
    (void)queue;
    is_one(device);
}

static bool reset_type(struct virtio_device *device, uint32_t part)
{
    (void)part;
    is_one(device);
    return any_bool();
}

static void init(void)
{
}

static const struct virtio_type full = {COTENANT_VIRTUAL_CONSOLE,
                                        init,
                                        any_id,
                                        any_features,
                                        queue_count,
                                        read_configuration,
                                        write_configuration,
                                        is_one,
                                        notify_type,
                                        is_one,
                                        queue_stopped,
                                        reset_type,
                                        has_some};
/* Without what a type need not have. */
static const struct virtio_type bare = {
    COTENANT_VIRTUAL_NET, NULL,       NULL,   any_features, queue_count,
    read_configuration,   NULL,       is_one, notify_type,  NULL,
    queue_stopped,        reset_type, NULL};
static const struct virtio_type *const types[] = {&full, &bare};

HAS_ENTRIES(virtio_types, &types[0], &types[1]);

static struct bundle system;
static uint32_t kind;
static struct vhart vhart;
static uint8_t bytes[BYTES];
static uint64_t mtime;
struct tenant tenants[COTENANT_MAX_TENANTS];
const struct bundle *bundle;
struct hart harts[COTENANT_MAX_HARTS];
struct hart *const proof_hart = &harts[0];

/* As their own proof says of virtqueue.c: nothing but the queue and the bytes is accessed. */
bool virtqueue_start(struct virtqueue *queue, const struct tenant *tenant)
{
    //@ assert queue->registers.size <= VIRTQUEUE_MOST;
    (void)tenant->index;
    if (queue->registers.size == 0 || any_bool()) {
        return false;
    }
    queue->ring.size = queue->registers.size;
    return true;
}

void virtqueue_stop(struct virtqueue *queue)
{
    *queue = (struct virtqueue){0};
}

enum virtqueue_state virtqueue_look(struct virtqueue *queue, const struct tenant *tenant, bool fill)
{
    (void)tenant->index;
    (void)fill;
    queue->left = any32();
    queue->steps = any32();
    return (enum virtqueue_state)any_up_to(VIRTQUEUE_BROKEN);
}

void virtqueue_copy(struct virtqueue *to, struct virtqueue *from, uint32_t most)
{
    to->left = any_up_to(most);
    from->left = any32();
}

uint32_t virtqueue_read(struct virtqueue *from, void *into, uint32_t most)
{
    //@ assert most == 0 || \valid((uint8_t *)into + (0 .. most - 1));
    (void)into;
    from->left = any32();
    return any_up_to(most);
}

uint32_t virtqueue_write(struct virtqueue *to, const void *from, uint32_t most)
{
    uint32_t count = any_up_to(most);

    //@ assert most == 0 || \valid_read((const uint8_t *)from + (0 .. most - 1));
    (void)from;
    to->left = any32();
    to->written += count;
    return count;
}

bool virtqueue_finish(struct virtqueue *queue)
{
    queue->used_index++;
    return any_bool();
}

void virtqueue_ask(struct virtqueue *queue, bool notify_)
{
    queue->quiet = !notify_;
}

bool vplic_add_virtual(struct vplic *plic, uint32_t source)
{
    (void)plic;
    //@ assert source < COTENANT_MAX_SOURCES;
    (void)source;
    return any_bool();
}

void routing_set_level(struct tenant *tenant, uint32_t source, bool level)
{
    //@ assert \valid(tenant);
    //@ assert source < COTENANT_MAX_SOURCES;
    (void)tenant;
    (void)source;
    (void)level;
}

bool wanted_by_mail(const struct hart *hart)
{
    (void)hart;
    return any_bool();
}

bool shared_lock_has_waiting(void)
{
    return any_bool();
}

void work_post(void)
{
}

static bool step(void *subject)
{
    (void)subject;
    return any_bool();
}

static void set_up(void)
{
    MAKE_ANY(system);
    system.board.timebase_hz = 32768 + any_up_to(UINT32_MAX - 32768); /* checked at boot */
    system.device_count = 1;
    system.devices[0].kind = kind;
    system.devices[0].tenant = 0;
    system.devices[0].source = any_up_to(COTENANT_MAX_SOURCES - 1);
    system.tenants[0].device_first = 0;
    system.tenants[0].device_count = 1;
    system.tenants[0].virtual_base = BASE;
    bundle = &system;
    tenants[0].description = &system.tenants[0];
    vhart.tenant = &tenants[0];
    harts[0].mtime = &mtime;
    make_devices();
}

/* What types call. */
static void call_of_type(struct virtio_device *device)
{
    struct virtqueue *queue = &device->queues[any_up_to(VIRTIO_MOST_QUEUES - 1)];
    uint32_t length = any_up_to(BYTES);
    uint32_t taken;

    switch (any_up_to(11)) {
    case 0:
        virtio_look_for_room(device, queue);
        break;
    case 1:
        virtio_finish(device, queue);
        break;
    case 2:
        taken = any_up_to(length);
        virtio_take(device, queue, bytes, length, &taken);
        break;
    case 3:
        queue->written = any_up_to(length);
        virtio_fill(device, queue, bytes, length);
        break;
    case 4:
        virtio_put(device, queue, bytes, length);
        break;
    case 5:
        virtio_interrupt(device, any8());
        break;
    case 6:
        virtio_tell_change(device);
        break;
    case 7:
        virtio_tell_again(device);
        break;
    case 8:
        virtio_set_limit(&device->changes, any32());
        break;
    case 9:
        virtio_copy_on(&device->queues[0], queue);
        break;
    case 10:
        virtio_work(step, NULL);
        break;
    default:
        virtio_work_for_sender(step, NULL, &device->queues[0], queue);
        break;
    }
}

/* Any address, those of the device on their own. */
static uint64_t any_address(void)
{
    switch (any_up_to(2)) {
    case 0:
        return Frama_C_unsigned_long_interval(0, BASE - 1);
    case 1:
        return Frama_C_unsigned_long_interval(BASE + COTENANT_VIRTUAL_DEVICE_SIZE, UINT64_MAX);
    default:
        return BASE + any_up_to(COTENANT_VIRTUAL_DEVICE_SIZE - 1);
    }
}

static void take_back(void)
{
    uint16_t next = (uint16_t)Frama_C_interval_split(0, 1);
    unsigned room = any_up_to(GIVE_BACK_ROOM);

    give_back(&tenants[0], &next, &room);
}

static void call(void)
{
    uint64_t value = any64();
    uint64_t address;

    switch (any_up_to(4)) {
    case 0:
        address = any_address();
        if (is_virtio(&tenants[0], address)) {
            access(&vhart, address, 1u << Frama_C_interval_split(0, 3), any_bool(), &value);
        }
        break;
    case 1:
        access(&vhart, any_address(), sizeof(uint32_t), any_bool(), &value);
        break;
    case 2:
        take_back();
        break;
    case 3:
        (void)virtio_deadline();
        virtio_step(any64());
        break;
    default:
        call_of_type(&virtio_devices[0]);
        break;
    }
}

int main(void)
{
    kind = any_bool() ? full.kind : bare.kind;
    //@ split kind;
    set_up();
    while (any_bool()) {
        mtime = any64();
        harts[0].reschedule = any_bool();
        harts[0].features = any64();
        call();
    }
    return 0;
}

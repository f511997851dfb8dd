/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of calls of the device's side of a virtqueue, whose rings the driver writes at any
 * moment: each access is in the tenant's RAM.
 */
#include "features/virtio/virtqueue.h"

#include "tenant_ram.h"

static struct tenant tenant;
static struct virtqueue queue;
static struct virtqueue other;
static uint8_t bytes[256];

/*@ requires from_tenant: size == 0 || \valid_read((const uint8_t *)source + (0 .. size - 1));
    requires to_tenant: size == 0 || \valid((uint8_t *)destination + (0 .. size - 1));
    assigns *((uint8_t *)destination + (0 .. size - 1)) \from *((const uint8_t *)source + (0 .. size
   - 1)); */
void physical_copy(uint64_t destination, const void *source, size_t size);

/* What virtio.c makes of the registers; the number of descriptors as it lets it be. */
static void place_queue(uint32_t size)
{
    queue.registers.descriptors = any64();
    queue.registers.available = any64();
    queue.registers.used = any64();
    queue.registers.size = size;
    virtqueue_start(&queue, &tenant);
}

static void call(uint32_t size)
{
    switch (any_up_to(8)) {
    case 0:
        virtqueue_stop(&queue);
        break;
    case 1:
        if (!virtqueue_is_ready(&queue)) {
            place_queue(size);
        }
        break;
    case 2:
        if (virtqueue_look(&queue, &tenant, any_bool()) == VIRTQUEUE_BYTES) {
            virtqueue_is_at_end(&queue);
            switch (any_up_to(2)) {
            case 0:
                virtqueue_read(&queue, bytes, any_up_to(sizeof(bytes)));
                break;
            case 1:
                virtqueue_write(&queue, bytes, any_up_to(sizeof(bytes)));
                break;
            default:
                other = queue; /* as far as is known, one is like the other */
                virtqueue_copy(&other, &queue, any32());
                break;
            }
        }
        break;
    case 3:
        virtqueue_available(&queue);
        break;
    case 4:
        virtqueue_has_chain(&queue);
        break;
    case 5:
        virtqueue_finish(&queue);
        break;
    case 6:
        virtqueue_rewind(&queue);
        break;
    default:
        virtqueue_ask(&queue, any_bool());
        break;
    }
}

int main(void)
{
    uint32_t size = 1u << Frama_C_interval_split(0, 6);

    //@ split size;
    //@ dynamic_split queue.ring.size;
    //@ dynamic_split queue.more;
    while (any_bool()) {
        call(size);
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of virtio over MMIO (virtio 1.2, section 4.2.2), of virtual devices and real ones.
 */
#ifndef COTENANT_DEVICE_VIRTIO_REGISTERS_H
#define COTENANT_DEVICE_VIRTIO_REGISTERS_H

enum {
    REG_MAGIC = 0x000,
    REG_VERSION = 0x004,
    REG_DEVICE_ID = 0x008,
    REG_VENDOR_ID = 0x00c,
    REG_DEVICE_FEATURES = 0x010,
    REG_DEVICE_FEATURES_SELECT = 0x014,
    REG_DRIVER_FEATURES = 0x020,
    REG_DRIVER_FEATURES_SELECT = 0x024,
    REG_QUEUE_SELECT = 0x030,
    REG_QUEUE_SIZE_MAX = 0x034,
    REG_QUEUE_SIZE = 0x038,
    REG_QUEUE_READY = 0x044,
    REG_QUEUE_NOTIFY = 0x050,
    REG_INTERRUPT_STATUS = 0x060,
    REG_INTERRUPT_ACKNOWLEDGE = 0x064,
    REG_STATUS = 0x070,
    REG_QUEUE_DESCRIPTORS = 0x080, /* the lower halves of addresses */
    REG_QUEUE_DRIVER = 0x090,
    REG_QUEUE_DEVICE = 0x0a0,
    REG_SHARED_MEMORY = 0x0b0, /* length and base of a region, two halves each */
    REG_SHARED_MEMORY_END = 0x0c0,
    REG_CONFIGURATION_GENERATION = 0x0fc,
    REG_CONFIGURATION = 0x100,
};

/* From a lower half to the upper one. */
#define REG_UPPER 4

#endif

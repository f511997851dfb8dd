/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/device_reset/virtio_reset.h"

#include "arch/mmio.h"

#define REGISTER_MAGIC 0x000
#define REGISTER_STATUS 0x070
#define MAGIC 0x74726976 /* "virt" */
#define MOST_LOOKS 8

bool virtio_is_there(uint64_t base)
{
    return mmio_read32(base + REGISTER_MAGIC) == MAGIC;
}

bool virtio_is_reset(uint64_t base)
{
    for (unsigned looks = 0; looks < MOST_LOOKS; looks++) {
        if (mmio_read32(base + REGISTER_STATUS) == 0) {
            return true;
        }
    }
    return false;
}

bool virtio_reset(uint64_t base)
{
    if (!virtio_is_there(base)) {
        return false;
    }
    mmio_write32(base + REGISTER_STATUS, 0);
    return virtio_is_reset(base);
}

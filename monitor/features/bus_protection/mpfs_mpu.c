/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/bus_protection/mpfs_mpu.h"

#include "features/bus_protection/registers.h"

#define MASTER_STRIDE 0x100
#define ENTRY_STRIDE 8

/* Bits 35:0 of an entry are an address without its lowest two bits, as in pmpaddr; of these the
 * lowest ones are always 1. */
#define ADDRESS_ONES 0x1fful
/* Bits 63:56 of an entry: as in pmpcfg, of the modes OFF and NAPOT only. */
#define MODE_READ (1ul << 56)
#define MODE_WRITE (1ul << 57)
#define MODE_NAPOT (3ul << 59)
#define MODE_LOCKED (1ul << 63)

static uint64_t entry_at(uint64_t base, uint32_t master, uint32_t entry)
{
    return base + (uint64_t)MASTER_STRIDE * master + (uint64_t)ENTRY_STRIDE * entry;
}

void mpfs_mpu_close(uint64_t base, uint32_t master, uint32_t entry)
{
    mmio_write64(entry_at(base, master, entry), 0);
}

bool mpfs_mpu_lock(uint64_t base, uint32_t master, uint32_t entry)
{
    uint64_t place = entry_at(base, master, entry);

    mmio_write64(place, MODE_LOCKED);
    return (mmio_read64(place) & MODE_NAPOT) == 0;
}

static uint64_t value_of(struct bundle_range block)
{
    uint64_t address = block.base >> 2 | ((block.size >> 3) - 1);

    return address | ADDRESS_ONES | MODE_NAPOT | MODE_READ | MODE_WRITE;
}

void mpfs_mpu_open(uint64_t base, uint32_t master, uint32_t entry, struct bundle_range block)
{
    mmio_write64(entry_at(base, master, entry), value_of(block));
}

bool mpfs_mpu_obeys(uint64_t base, uint32_t master, uint32_t entry, struct bundle_range block)
{
    uint64_t place = entry_at(base, master, entry);
    bool opens;

    mmio_write64(place, value_of(block));
    opens = mmio_read64(place) == value_of(block);
    mmio_write64(place, 0);
    return opens && (mmio_read64(place) & MODE_NAPOT) == 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/protection.h"

#include "arch/csr.h"
#include "arch/memory.h"
#include "core/tenant.h"

bool protection_is_resident(uint32_t hart_index)
{
    const struct vhart *first = NULL;

    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        if (vharts[i].description->hart != hart_index) {
            continue;
        }
        if (first == NULL) {
            first = &vharts[i];
        } else if (memcmp(vharts[i].rest.pmp_address, first->rest.pmp_address,
                          sizeof(first->rest.pmp_address)) != 0) {
            return false;
        }
    }
    return true;
}

#define FOR_EACH_PMPADDR(apply)                                                                    \
    apply(0) apply(1) apply(2) apply(3) apply(4) apply(5) apply(6) apply(7) apply(8) apply(9)      \
        apply(10) apply(11) apply(12) apply(13) apply(14) apply(15)

static uint64_t read_address(uint32_t entry)
{
    switch (entry) {
#define READ_CASE(n)                                                                               \
    case n:                                                                                        \
        return CSR_READ(pmpaddr##n);
        FOR_EACH_PMPADDR(READ_CASE)
    default:
        return 0;
    }
}

void protection_write_address(uint32_t entry, uint64_t value)
{
    switch (entry) {
#define WRITE_CASE(n)                                                                              \
    case n:                                                                                        \
        CSR_WRITE(pmpaddr##n, value);                                                              \
        break;
        FOR_EACH_PMPADDR(WRITE_CASE)
    default:
        break;
    }
}

int protection_install(const struct vhart *vhart)
{
    uint64_t configuration[2];
    int different = -1;

    for (uint32_t entry = 0; entry < bundle->board.pmp_entries; entry++) {
        protection_write_address(entry, vhart->rest.pmp_address[entry]);
    }
    CSR_WRITE(pmpcfg0, vhart->world.pmp_config[0]);
    CSR_WRITE(pmpcfg2, vhart->world.pmp_config[1]);
    configuration[0] = CSR_READ(pmpcfg0);
    configuration[1] = CSR_READ(pmpcfg2);
    for (uint32_t entry = 0; different < 0 && entry < bundle->board.pmp_entries; entry++) {
        if (read_address(entry) != vhart->rest.pmp_address[entry] ||
            ((const uint8_t *)configuration)[entry] !=
                ((const uint8_t *)vhart->world.pmp_config)[entry]) {
            different = (int)entry;
        }
    }
    return different;
}

uint32_t protection_count_entries(void)
{
    uint32_t count = 0;

    CSR_WRITE(pmpcfg0, 0);
    CSR_WRITE(pmpcfg2, 0);
    for (; count < COTENANT_PMP_ENTRIES; count++) {
        protection_write_address(count, 0x3ffffffffful);
        if (read_address(count) == 0) {
            break;
        }
        protection_write_address(count, 0);
    }
    return count;
}

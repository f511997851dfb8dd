/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/confine/pmp_set.h"

#include "abi/csr_numbers.h"
#include "arch/csr.h"
#include "arch/memory.h"

#define CONFIG (PMP_RIGHTS | PMP_MODE | PMP_LOCKED)

bool pmp_set_read(const struct pmp_set *set, uint32_t number, uint64_t *value)
{
    const uint8_t *configs = set->configs + (number == CSR_PMPCFG2 ? 8 : 0);

    if (number >= CSR_PMPADDR0 && number <= CSR_PMPADDR15) {
        *value = set->addresses[number - CSR_PMPADDR0];
        return true;
    }
    memcpy(value, configs, sizeof(*value));
    return number == CSR_PMPCFG0 || number == CSR_PMPCFG2;
}

static void write_configs(uint8_t configs[8], uint64_t value)
{
    for (unsigned i = 0; i < 8; i++, value >>= 8) {
        uint8_t wanted = value & CONFIG;

        if ((configs[i] & PMP_LOCKED) == 0) {
            /* Write without read is reserved. */
            configs[i] = (wanted & PMP_READ) != 0 ? wanted : wanted & (uint8_t)~PMP_WRITE;
        }
    }
}

static void write_address(struct pmp_set *set, unsigned entry, uint64_t value)
{
    uint8_t next = entry + 1 < COTENANT_PMP_ENTRIES ? set->configs[entry + 1] : 0;
    bool bounds_locked = (next & PMP_LOCKED) != 0 && (next & PMP_MODE) == PMP_MODE_TOR;

    if ((set->configs[entry] & PMP_LOCKED) == 0 && !bounds_locked) {
        set->addresses[entry] = value & ((1ul << PMP_ADDRESS_BITS) - 1);
    }
}

bool pmp_set_write(struct pmp_set *set, uint32_t number, uint64_t value)
{
    if (number >= CSR_PMPADDR0 && number <= CSR_PMPADDR15) {
        write_address(set, number - CSR_PMPADDR0, value);
    } else if (number == CSR_PMPCFG0 || number == CSR_PMPCFG2) {
        write_configs(set->configs + (number == CSR_PMPCFG2 ? 8 : 0), value);
    } else {
        return false;
    }
    return true;
}

static inline uint64_t lower(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* The highest bit that is set; `bits` must not be 0. */
static uint64_t highest_bit(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits |= bits >> shift;
    }
    return bits - (bits >> 1);
}

/*
 * An aligned block around `at` has another address in it if it is larger than the highest bit in
 * which the two differ. So of those that must not be in it only the one that differs least counts.
 */
uint8_t pmp_decide(const uint64_t *addresses, const uint8_t *configs, uint64_t at, uint64_t *size,
                   uint8_t decided)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < COTENANT_PMP_ENTRIES; i++) {
        uint8_t mode = configs[i] & PMP_MODE;
        uint64_t mask = mode == PMP_MODE_NAPOT ? addresses[i] ^ (addresses[i] + 1) : 0;
        uint64_t first = addresses[i] & ~mask;
        uint64_t end = first + mask + 1;

        if (mode == PMP_MODE_TOR) {
            first = i == 0 ? 0 : addresses[i - 1];
            end = addresses[i];
        }
        if (mode == 0 || first >= end) {
            continue;
        }
        if (at < first) {
            least = lower(least, at ^ first);
        } else if (at >= end) {
            least = lower(least, at ^ (end - 1));
        } else {
            least = lower(least, lower(at ^ (first - 1), at ^ end));
            decided = configs[i];
            break;
        }
    }
    *size = lower(*size, highest_bit(least));
    return decided;
}

/* All bits of the entries that are on. */
static uint8_t used_bits(const struct pmp_set *set)
{
    uint8_t bits = 0;

    for (unsigned i = 0; i < COTENANT_PMP_ENTRIES; i++) {
        bits |= (set->configs[i] & PMP_MODE) != 0 ? set->configs[i] : 0;
    }
    return bits;
}

bool pmp_set_confines(const struct pmp_set *set)
{
    uint64_t size = PMP_ALL;
    uint8_t rights = pmp_decide(set->addresses, set->configs, 0, &size, 0) & PMP_RIGHTS;

    return used_bits(set) != 0 && (rights != PMP_RIGHTS || size < PMP_ALL);
}

bool pmp_set_is_locked(const struct pmp_set *set)
{
    return (used_bits(set) & PMP_LOCKED) != 0;
}

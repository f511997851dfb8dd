// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stores a byte of x1 to x30 each to a page that is closed to S-mode, again and again, and looks
 * whether the ring has the bytes, in their order, and each register what it had.
 */
#include "store.h"

#include "arch/csr.h"
#include "print.h"
#include "supervisor.h"

#define DEVICE 0x40000000ul /* nothing is there */
#define DEVICE_BYTES 0x1000
#define REGISTERS 30
#define TIMES 20

static struct ring ring = {.readers = store_readers};

static void check_bytes(unsigned before, const uint64_t *values)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        check_nth("ring", "byte of x", i + 1, ring.bytes[(before + i) % RING_SIZE],
                  values[i + 1] & 0xff);
    }
    check("ring", "head", ring.head, (before + REGISTERS) % RING_SIZE);
}

static void store_all(uint64_t round)
{
    uint64_t values[REGISTERS + 1], afterwards[REGISTERS + 1];
    unsigned before = ring.head;

    for (uint64_t i = 1; i <= REGISTERS; i++) {
        values[i] = i << 32 | (i * 5 + round);
    }
    store_bytes(DEVICE, values, afterwards);
    check_bytes(before, values);
    for (unsigned i = 1; i <= REGISTERS; i++) {
        check_nth("tenant", "x", i, afterwards[i], values[i]);
    }
}

static void supervisor(void)
{
    for (uint64_t round = 0; round < TIMES; round++) {
        store_all(round);
    }
    print_checked("store");
    print_end();
}

void main(void)
{
    CSR_WRITE(mtvec, store);
    CSR_WRITE(mscratch, &ring);
    CSR_WRITE(pmpaddr0, DEVICE >> 2 | (DEVICE_BYTES / 8 - 1));
    CSR_WRITE(pmpaddr1, UINT64_MAX);
    CSR_WRITE(pmpcfg0, PMP_MODE_NAPOT | (uint64_t)(PMP_MODE_NAPOT | PMP_RIGHTS) << 8);
    go_on_in_s_mode();
    supervisor();
}

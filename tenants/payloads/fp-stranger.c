/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that floating-point registers tell nothing about other tenants: it never writes one, and
 * whenever it looks, after a stay of others on the hart, all of them and fcsr are zero.
 *
 * Arguments: rounds=N   (default 2000), a millisecond each
 */
#include "rt/check.h"
#include "rt/platform.h"

const char payload_name[] = "fp-stranger";

static void store_registers(uint64_t values[32])
{
    __asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, "
                     "19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
                     "fsd f\\n, (8 * \\n)(%0)\n"
                     ".endr"
                     :
                     : "r"(values)
                     : "memory");
}

static void look(uint64_t round)
{
    uint64_t found[32];
    uint64_t found_fcsr;

    csr_set(sstatus, SSTATUS_FS_INITIAL);
    found_fcsr = csr_read(fcsr);
    store_registers(found);
    csr_clear(sstatus, SSTATUS_FS);
    check(found_fcsr == 0, "round %lu: fcsr is 0x%lx", round, found_fcsr);
    for (unsigned i = 0; i < 32; i++) {
        check(found[i] == 0, "round %lu: f%u is 0x%lx", round, i, found[i]);
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 2000);

    for (uint64_t round = 0; round < rounds; round++) {
        look(round);
        clock_sleep(1000);
    }
    check_pass();
}

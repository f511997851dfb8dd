/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a tenant's floating-point registers and fcsr survive while others run: it fills them
 * with values of its own, gives the hart away in WFI, and compares, every millisecond. In every
 * other round it waits with sstatus.FS off, as kernels do while user registers are live.
 *
 * Arguments: rounds=N   (default 2000)      seed=N   start of the values (give each tenant another)
 *            spin=N     microseconds of computing between check and WFI, to be preempted in
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"

const char payload_name[] = "fp-keeper";

#define EACH_REGISTER                                                                              \
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "   \
    "23, 24, 25, 26, 27, 28, 29, 30, 31\n"

/* Between load and store nothing uses floating point: the compiler has no reason to, in this file.
 */
static void load_registers(const uint64_t values[32])
{
    __asm__ volatile(EACH_REGISTER "fld f\\n, (8 * \\n)(%0)\n.endr" : : "r"(values) : "memory");
}

static void store_registers(uint64_t values[32])
{
    __asm__ volatile(EACH_REGISTER "fsd f\\n, (8 * \\n)(%0)\n.endr" : : "r"(values) : "memory");
}

static void run_round(struct random *random, uint64_t round, uint64_t spin)
{
    uint64_t expected[32];
    uint64_t found[32];
    uint64_t expected_fcsr = random_below(random, 5) << 5 | random_below(random, 32);
    uint64_t found_fcsr;

    for (unsigned i = 0; i < 32; i++) {
        expected[i] = random_next(random);
    }
    load_registers(expected);
    csr_write(fcsr, expected_fcsr);
    if (round % 2 != 0) {
        csr_clear(sstatus, SSTATUS_FS);
    }
    clock_spin(spin);
    clock_sleep(1000);
    csr_set(sstatus, SSTATUS_FS_INITIAL);
    found_fcsr = csr_read(fcsr);
    store_registers(found);
    check(found_fcsr == expected_fcsr, "round %lu: fcsr is 0x%lx, expected 0x%lx", round,
          found_fcsr, expected_fcsr);
    for (unsigned i = 0; i < 32; i++) {
        check(found[i] == expected[i], "round %lu: f%u is 0x%lx, expected 0x%lx", round, i,
              found[i], expected[i]);
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 2000);
    uint64_t spin = platform_number("spin", 100);
    struct random random = random_from(platform_number("seed", 1));

    csr_set(sstatus, SSTATUS_FS_INITIAL);
    print("fp-keeper: %lu rounds\n", rounds);
    for (uint64_t round = 0; round < rounds; round++) {
        run_round(&random, round, spin);
    }
    check_pass();
}

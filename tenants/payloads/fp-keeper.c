/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a tenant's floating-point registers and fcsr survive while others run: it fills them
 * with values of its own, gives the hart away in WFI, and compares, every millisecond.
 *
 * Arguments: rounds=N   (default 2000)      seed=N   start of the values (give each tenant another)
 *            spin=N     microseconds of computing between check and WFI, to be preempted in
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"

const char payload_name[] = "fp-keeper";

#define EACH_REGISTER(X)                                                                           \
    X(0)                                                                                           \
    X(1)                                                                                           \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18)  \
        X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

/* No code between load and store of this file uses floating point: the compiler has no reason to.
 */
#define LOAD(n) __asm__ volatile("fld f" #n ", %0" : : "m"(values[n]));
#define STORE(n) __asm__ volatile("fsd f" #n ", %0" : "=m"(values[n]));

static void load_registers(const uint64_t values[32])
{
    EACH_REGISTER(LOAD)
}

static void store_registers(uint64_t values[32])
{
    EACH_REGISTER(STORE)
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
    clock_spin(spin);
    clock_sleep(1000);
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

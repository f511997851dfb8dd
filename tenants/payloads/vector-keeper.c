/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a tenant's vector registers and their CSRs survive while others run: it fills them
 * with values of its own, gives the hart away in WFI, and compares, every millisecond. In every
 * other round it waits with sstatus.VS off, as kernels do while user registers are live.
 *
 * Arguments: rounds=N   (default 2000)      seed=N   start of the values (give each tenant another)
 *            spin=N     microseconds of computing between check and WFI, to be preempted in
 */
#include "payloads/vectors.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"

const char payload_name[] = "vector-keeper";

/* Elements of 8 to 64 bits in groups of 1 to 8 registers. */
static uint64_t some_vtype(struct random *random)
{
    return random_below(random, 4) << 3 | random_below(random, 4);
}

static void run_round(struct random *random, uint64_t round, uint64_t spin)
{
    static struct vectors expected;
    static struct vectors found;
    uint64_t length = vectors_length();

    for (uint64_t i = 0; i < VECTORS * length; i += sizeof(uint64_t)) {
        *(uint64_t *)&expected.bytes[i] = random_next(random);
    }
    expected.vtype = some_vtype(random);
    expected.vl = 1 + random_below(random, length / 8);
    expected.vcsr = random_below(random, 8);
    expected.vstart = random_below(random, expected.vl);
    vectors_load(&expected);
    if (round % 2 != 0) {
        csr_clear(sstatus, SSTATUS_VS);
    }
    clock_spin(spin);
    clock_sleep(1000);
    csr_set(sstatus, SSTATUS_VS_INITIAL);
    vectors_store(&found);
    check(found.vstart == expected.vstart && found.vcsr == expected.vcsr &&
              found.vl == expected.vl && found.vtype == expected.vtype,
          "round %lu: vstart %lu of %lu, vcsr %lu of %lu, vl %lu of %lu, vtype 0x%lx of 0x%lx",
          round, found.vstart, expected.vstart, found.vcsr, expected.vcsr, found.vl, expected.vl,
          found.vtype, expected.vtype);
    for (uint64_t i = 0; i < VECTORS * length; i++) {
        check(found.bytes[i] == expected.bytes[i], "round %lu: v%lu has 0x%x at %lu, expected 0x%x",
              round, i / length, found.bytes[i], i % length, expected.bytes[i]);
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 2000);
    uint64_t spin = platform_number("spin", 100);
    struct random random = random_from(platform_number("seed", 1));

    csr_set(sstatus, SSTATUS_VS_INITIAL);
    check(vectors_length() <= VECTOR_MOST, "registers of %lu bytes", vectors_length());
    print("vector-keeper: %lu rounds, %lu bits\n", rounds, 8 * vectors_length());
    for (uint64_t round = 0; round < rounds; round++) {
        run_round(&random, round, spin);
    }
    check_pass();
}

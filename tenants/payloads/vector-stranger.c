/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks for what other tenants have left in the vector registers: it never writes one, turns
 * sstatus.VS on after a stay of others on the hart, and all of them and their CSRs are as at reset.
 *
 * Arguments: rounds=N   (default 2000), a millisecond each
 *            plants=1   before it ends, it leaves values in all of them, for its next life to find
 */
#include <string.h>

#include "payloads/vectors.h"
#include "rt/check.h"
#include "rt/platform.h"

const char payload_name[] = "vector-stranger";

static struct vectors found;

static void look(uint64_t round)
{
    csr_set(sstatus, SSTATUS_VS_INITIAL);
    vectors_store(&found);
    csr_clear(sstatus, SSTATUS_VS);
    check(found.vstart == 0 && found.vcsr == 0 && found.vl == 0 && found.vtype == VTYPE_ILLEGAL,
          "round %lu: vstart %lu, vcsr %lu, vl %lu, vtype 0x%lx", round, found.vstart, found.vcsr,
          found.vl, found.vtype);
    for (uint64_t i = 0; i < sizeof(found.bytes); i++) {
        check(found.bytes[i] == 0, "round %lu: byte %lu is 0x%x", round, i, found.bytes[i]);
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 2000);

    for (uint64_t round = 0; round < rounds; round++) {
        look(round);
        clock_sleep(1000);
    }
    if (platform_number("plants", 0) != 0) {
        csr_set(sstatus, SSTATUS_VS_INITIAL);
        memset(&found, 0x5a, sizeof(found));
        found.vstart = 0;
        found.vtype = 0;
        vectors_load(&found);
    }
    check_pass();
}

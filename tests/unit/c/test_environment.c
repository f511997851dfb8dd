/* SPDX-License-Identifier: BSD-2-Clause */
/* menvcfg: what a board does not have stays off, and no tenant invalidates cache blocks. */
#include <stdbool.h>

#include "arch/environment.h"
#include "cmocka_tests.h"

/* Fields of menvcfg (privileged ISA 3.1.18), apart from the monitor's own names for them. */
#define CBIE(value) ((value) >> 4 & 3)
#define CBIE_TRAPS 0
#define CBIE_FLUSHES 1
#define CBCFE(value) ((value) >> 6 & 1)
#define CBZE(value) ((value) >> 7 & 1)
#define PBMTE(value) ((value) >> 62 & 1)
#define STCE(value) ((value) >> 63)

static void test_flags_of_the_board(void **state)
{
    const uint64_t known = COTENANT_BOARD_SSTC | COTENANT_BOARD_SVPBMT | COTENANT_BOARD_ZICBO;

    (void)state;
    for (uint64_t flags = 0; flags < 256; flags++) {
        bool blocks = (flags & COTENANT_BOARD_ZICBO) != 0;
        uint64_t value = environment_of(flags);

        assert_int_equal(CBIE(value), blocks ? CBIE_FLUSHES : CBIE_TRAPS);
        assert_int_equal(CBCFE(value), blocks);
        assert_int_equal(CBZE(value), blocks);
        assert_int_equal(PBMTE(value), (flags & COTENANT_BOARD_SVPBMT) != 0);
        assert_int_equal(STCE(value), (flags & COTENANT_BOARD_SSTC) != 0);
        assert_int_equal(value, environment_of(flags & known));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags_of_the_board),
    };

    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}

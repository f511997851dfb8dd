/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/trace.h"
#include "core/bundle_check.h"
#include "features/check/words.h"

static uint32_t check_console(const struct bundle *bundle)
{
    const struct bundle_console *console = &bundle->console;

    REQUIRE_FIELD(console->mode <= COTENANT_CONSOLE_FRAMED, CONSOLE_MODE, UNKNOWN);
    REQUIRE_FIELD(console->escape >= 1 && console->escape <= 31, CONSOLE_ESCAPE,
                  NOT_A_CONTROL_CHARACTER);
    REQUIRE_FIELD(console->focus < bundle->tenant_count, CONSOLE_FOCUS, NO_SUCH_TENANT);
    return CHECK_IS_GOOD;
}

static uint32_t check_trace(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_trace *trace = &bundle->trace;
    uint64_t taken = monitor_size + bundle->total_size;

    if (trace->ring_size == 0) {
        return CHECK_IS_GOOD;
    }
    REQUIRE_FIELD(trace->ring_size >= COTENANT_TRACE_RING_LEAST &&
                      trace->ring_size <= COTENANT_TRACE_RING_MOST &&
                      check_aligned(trace->ring_size, CHECK_PAGE_SIZE),
                  TRACE_RING_SIZE, OUT_OF_RANGE_OR_MISALIGNED);
    REQUIRE_FIELD(check_aligned(trace->base, CHECK_PAGE_SIZE), TRACE_BASE, MISALIGNED);
    REQUIRE_FIELD(check_contains(board->monitor_base + taken, board->monitor_size - taken,
                                 trace->base, trace->ring_size * board->hart_count),
                  TRACE_BASE, NOT_BEHIND_IMAGES);
    return CHECK_IS_GOOD;
}

static struct check_result check_system(const struct bundle *bundle, uint64_t monitor_size)
{
    uint32_t refusal = check_console(bundle);

    if (refusal == CHECK_IS_GOOD) {
        refusal = check_trace(bundle, monitor_size);
    }
    return check_in_words(refusal, -1);
}

BUNDLE_CHECK(CHECK_SYSTEM, check_system);

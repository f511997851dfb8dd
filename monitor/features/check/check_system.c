/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/trace.h"
#include "core/bundle_check.h"

static struct check_result check_console(const struct bundle *bundle)
{
    const struct bundle_console *console = &bundle->console;

    REQUIRE(console->mode <= COTENANT_CONSOLE_FRAMED, "console.mode: unknown", -1);
    REQUIRE(console->escape >= 1 && console->escape <= 31,
            "console.escape: not a control character", -1);
    REQUIRE(console->focus < bundle->tenant_count, "console.focus: no such tenant", -1);
    return check_good();
}

static struct check_result check_trace(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_trace *trace = &bundle->trace;
    uint64_t taken = monitor_size + bundle->total_size;

    if (trace->ring_size == 0) {
        return check_good();
    }
    REQUIRE(trace->ring_size >= COTENANT_TRACE_RING_LEAST &&
                trace->ring_size <= COTENANT_TRACE_RING_MOST &&
                check_aligned(trace->ring_size, CHECK_PAGE_SIZE),
            "trace.ring_size: out of range or not a multiple of 4096", -1);
    REQUIRE(check_aligned(trace->base, CHECK_PAGE_SIZE), "trace.base: not 4096-aligned", -1);
    REQUIRE(check_contains(board->monitor_base + taken, board->monitor_size - taken, trace->base,
                           trace->ring_size * board->hart_count),
            "trace.base: not in the monitor's place behind the images", -1);
    return check_good();
}

static struct check_result check_system(const struct bundle *bundle, uint64_t monitor_size)
{
    struct check_result result = check_console(bundle);

    return result.problem == NULL ? check_trace(bundle, monitor_size) : result;
}

BUNDLE_CHECK(CHECK_SYSTEM, check_system);

// SPDX-License-Identifier: BSD-2-Clause
#include "watch.h"

#include <cinttypes>

namespace
{
constexpr unsigned machine_mode = 3;
} // namespace

void Watch::mark(uint64_t cycle, unsigned port, uint64_t value)
{
    if (out != nullptr) {
        std::fprintf(out, "mark %" PRIu64 " %u %" PRIu64 "\n", cycle, port, value);
    }
}

void Watch::retired(uint64_t cycle, const CoreState &core)
{
    if (core.privilege == machine_mode) {
        if (instructions++ == 0) {
            first = cycle;
        }
        return;
    }
    if (!pending) {
        return;
    }
    pending = false;
    if (instructions != 0) {
        std::fprintf(out,
                     "stay %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                     " %" PRIx64 "\n",
                     cause, from_pc, from, first, instructions, cycle, core.pc);
    } else {
        std::fprintf(out, "trap %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIx64 "\n",
                     cause, from_pc, from, cycle, core.pc);
    }
}

void Watch::clock(uint64_t cycle, const CoreState &core)
{
    if (out == nullptr) {
        return;
    }
    if (core.timer && !timer) {
        std::fprintf(out, "timer %" PRIu64 "\n", cycle);
    }
    timer = core.timer;
    if (!core.valid) {
        return;
    }
    if (!core.trapped && cycle >= trace_from && cycle < trace_to) {
        std::fprintf(out, "retire %" PRIu64 " %" PRIx64 " %u\n", cycle, core.pc, core.privilege);
    }
    if (!core.trapped) {
        retired(cycle, core);
    } else if (core.privilege != machine_mode && !pending) {
        pending = true;
        cause = core.cause;
        from_pc = core.pc;
        from = cycle;
        instructions = 0;
    }
}

// SPDX-License-Identifier: BSD-2-Clause
// The event log: what the core did, to the clock cycle, seen from outside.
//
// One line an event, blank-separated, numbers decimal except for pc and cause (hexadecimal):
//   timer CYCLE                        the machine timer's line went up
//   mark CYCLE PORT VALUE              a tenant wrote a mark to its result port
//   stay CAUSE FROM_PC FROM FIRST INSTRUCTIONS TO TO_PC
//     a stay in M-mode: trapped at cycle FROM instead of retiring FROM_PC, first instruction of the
//     monitor retired at FIRST, INSTRUCTIONS of it retired, and the first instruction of S- or
//     U-mode after it, TO_PC, retired at cycle TO
//   retire CYCLE PC PRIVILEGE          an instruction, in the clock cycles asked for
//   trap CAUSE FROM_PC FROM TO TO_PC   a trap that did not leave S- and U-mode, in the same terms
#ifndef COTENANT_RTL_WATCH_H
#define COTENANT_RTL_WATCH_H

#include <cstdint>
#include <cstdio>

struct CoreState {
    bool valid;   // an instruction retires or traps in this clock
    bool trapped; // it traps
    uint64_t pc;
    unsigned privilege;
    uint64_t cause;
    bool timer;
};

class Watch
{
  public:
    // Single instructions are logged from cycle `begin` to before cycle `end`.
    Watch(std::FILE *log, uint64_t begin, uint64_t end) : out(log), trace_from(begin), trace_to(end)
    {
    }
    void clock(uint64_t cycle, const CoreState &core);
    void mark(uint64_t cycle, unsigned port, uint64_t value);

  private:
    void retired(uint64_t cycle, const CoreState &core);

    std::FILE *out;
    uint64_t trace_from;
    uint64_t trace_to;
    bool timer = false;
    // The trap under way: taken in S- or U-mode and not yet followed by an instruction there.
    bool pending = false;
    uint64_t cause = 0;
    uint64_t from_pc = 0;
    uint64_t from = 0;
    uint64_t first = 0;
    uint64_t instructions = 0;
};

#endif

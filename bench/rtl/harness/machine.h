// SPDX-License-Identifier: BSD-2-Clause
// What the harness puts around the core: RAM and a few devices. boards/rocket-litex.toml describes
// them to the monitor and its tenants.
#ifndef COTENANT_RTL_MACHINE_H
#define COTENANT_RTL_MACHINE_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "axi.h"

// RAM at 0x80000000.
class Memory : public Target
{
  public:
    explicit Memory(uint64_t size);
    // Puts a file at the start of the RAM; throws std::runtime_error with a sentence.
    void load(const std::string &path);
    bool read(uint64_t address, uint64_t &data) override;
    bool write(uint64_t address, uint64_t data, uint8_t strobe) override;

    static constexpr uint64_t base = 0x80000000;

  private:
    std::vector<uint64_t> words;
};

// Result port n, for one tenant each: 4 KiB at 0x10010000 + n * 0x1000, interrupt source n + 1.
//   0x00  write: a character of text
//   0x08  write: a mark in the event log, 64 bits
//   0x10  write: level of the port's interrupt line, 0 or 1
//   0x18  read: the clock cycle of the simulation, 64 bits, never stopped
//   0x20  write: ends the simulation with this status
// Behind them a finisher (the "sifive-test" device) at 0x10020000; before them, at 0x10000000,
// where the core's boot ROM jumps to with a0 = hart id, a jump to the start address.
class Devices : public Target
{
  public:
    static constexpr unsigned port_count = 4;

    explicit Devices(uint64_t start_address) : start(start_address)
    {
    }
    bool read(uint64_t address, uint64_t &data) override;
    bool write(uint64_t address, uint64_t data, uint8_t strobe) override;
    // Lines of the result ports: bit n is source n + 1.
    uint8_t interrupt_lines() const
    {
        return lines;
    }
    // The finisher was written: the exit status.
    bool finished() const
    {
        return done;
    }
    int exit_status() const
    {
        return status;
    }

    uint64_t cycle = 0;
    std::function<void(unsigned port, uint64_t value)> on_mark;

  private:
    void put(unsigned port, char character);
    bool read_rom(uint64_t address, uint64_t &data) const;

    uint64_t start;
    std::string lines_of_text[port_count];
    uint8_t lines = 0;
    bool done = false;
    int status = 0;
};

#endif

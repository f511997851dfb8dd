// SPDX-License-Identifier: BSD-2-Clause
#include "machine.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace
{
constexpr uint64_t rom_base = 0x10000000;
constexpr uint64_t ports_base = 0x10010000;
constexpr uint64_t port_size = 0x1000;
constexpr uint64_t finisher_base = 0x10020000;

constexpr uint64_t register_text = 0x00;
constexpr uint64_t register_mark = 0x08;
constexpr uint64_t register_line = 0x10;
constexpr uint64_t register_cycle = 0x18;
constexpr uint64_t register_end = 0x20;

// The values of the "sifive-test" device.
constexpr uint32_t finisher_fail = 0x3333;
constexpr uint32_t finisher_pass = 0x5555;
constexpr uint32_t finisher_reset = 0x7777;

// 0: auipc t0, 0; ld t0, 16(t0); jr t0. The start address is at 16.
constexpr uint64_t rom_code[] = {0x0102b28300000297, 0x0000000000028067};
// The core fetches whole lines.
constexpr uint64_t rom_size = 64;
} // namespace

Memory::Memory(uint64_t size) : words(size / 8)
{
}

void Memory::load(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);

    if (!file) {
        throw std::runtime_error("cannot open " + path);
    }
    file.read(reinterpret_cast<char *>(words.data()),
              static_cast<std::streamsize>(words.size() * 8));
    if (!file.eof()) {
        throw std::runtime_error(path + " is larger than the simulated RAM");
    }
}

bool Memory::read(uint64_t address, uint64_t &data)
{
    uint64_t index = (address - base) / 8;

    if (address < base || index >= words.size()) {
        return false;
    }
    data = words[index];
    return true;
}

bool Memory::write(uint64_t address, uint64_t data, uint8_t strobe)
{
    uint64_t index = (address - base) / 8;

    if (address < base || index >= words.size()) {
        return false;
    }
    for (unsigned byte = 0; byte < 8; byte++) {
        if ((strobe >> byte & 1) != 0) {
            uint64_t mask = uint64_t{0xff} << 8 * byte;

            words[index] = (words[index] & ~mask) | (data & mask);
        }
    }
    return true;
}

bool Devices::read_rom(uint64_t address, uint64_t &data) const
{
    uint64_t index = (address - rom_base) / 8;

    if (address < rom_base || address >= rom_base + rom_size) {
        return false;
    }
    data = index < 2 ? rom_code[index] : index == 2 ? start : 0;
    return true;
}

bool Devices::read(uint64_t address, uint64_t &data)
{
    uint64_t offset = address - ports_base;

    data = 0;
    if (address >= ports_base && offset < port_count * port_size) {
        data = offset % port_size == register_cycle ? cycle : 0;
        return true;
    }
    return address == finisher_base || read_rom(address, data);
}

void Devices::put(unsigned port, char character)
{
    std::string &line = lines_of_text[port];

    if (character != '\n') {
        line += character;
        return;
    }
    std::printf("[%u] %s\n", port, line.c_str());
    std::fflush(stdout);
    line.clear();
}

bool Devices::write(uint64_t address, uint64_t data, uint8_t strobe)
{
    uint64_t offset = address - ports_base;
    auto port = static_cast<unsigned>(offset / port_size);

    if (address == finisher_base) {
        auto value = static_cast<uint32_t>(data);

        done = (value & 0xffff) == finisher_pass || (value & 0xffff) == finisher_fail ||
               (value & 0xffff) == finisher_reset;
        status = (value & 0xffff) == finisher_fail ? 1 : 0;
        return true;
    }
    if (address < ports_base || port >= port_count || strobe == 0) {
        return false;
    }
    switch (offset % port_size) {
    case register_text:
        put(port, static_cast<char>(data));
        return true;
    case register_mark:
        on_mark(port, data);
        return true;
    case register_line:
        lines = static_cast<uint8_t>((lines & ~(1u << port)) | ((data & 1) << port));
        return true;
    case register_end:
        done = true;
        status = static_cast<int>(data & 0xff);
        return true;
    default:
        return true;
    }
}

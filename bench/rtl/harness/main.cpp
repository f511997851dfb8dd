// SPDX-License-Identifier: BSD-2-Clause
// rocket-sim: runs a raw image, such as a bundle, on the Rocket core's RTL until the finisher is
// written. Deterministic to the cycle.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "axi.h"
#include "machine.h"
#include "verilated.h"
#include "Vtop.h"
#include "watch.h"

namespace
{
constexpr unsigned reset_cycles = 32;
constexpr int exit_usage = 2;
constexpr int exit_too_long = 3;

struct Options {
    std::string image;
    std::string events;
    uint64_t memory_bytes = 16ull << 20;
    uint64_t max_cycles = 50000000;
    uint64_t start = Memory::base;
    unsigned memory_latency = 1;
    unsigned device_latency = 1;
    uint64_t trace_from = 0;
    uint64_t trace_to = 0;
};

uint64_t number(const char *text)
{
    char *end = nullptr;
    uint64_t value = std::strtoull(text, &end, 0);

    if (end == text || *end != '\0') {
        throw std::runtime_error(std::string("not a number: ") + text);
    }
    return value;
}

unsigned latency(const char *text)
{
    uint64_t value = number(text);

    if (value < 1 || value > 10000) {
        throw std::runtime_error(std::string("a latency is 1 to 10000 cycles, not ") + text);
    }
    return static_cast<unsigned>(value);
}

Options parse(int count, char **words)
{
    Options options;

    for (int i = 1; i < count; i++) {
        std::string word = words[i];

        if (word.rfind("--", 0) != 0) {
            options.image = word;
            continue;
        }
        if (i + 1 == count) {
            throw std::runtime_error(word + " needs a value");
        }
        const char *value = words[++i];
        if (word == "--events") {
            options.events = value;
        } else if (word == "--memory") {
            options.memory_bytes = number(value);
        } else if (word == "--max-cycles") {
            options.max_cycles = number(value);
        } else if (word == "--start") {
            options.start = number(value);
        } else if (word == "--memory-latency") {
            options.memory_latency = latency(value);
        } else if (word == "--device-latency") {
            options.device_latency = latency(value);
        } else if (word == "--trace-from") {
            options.trace_from = number(value);
        } else if (word == "--trace-to") {
            options.trace_to = number(value);
        } else {
            throw std::runtime_error("unknown option " + word);
        }
    }
    if (options.image.empty()) {
        throw std::runtime_error(
            "usage: rocket-sim [--events FILE] [--memory BYTES] "
            "[--max-cycles N] [--start ADDRESS] [--memory-latency N] [--device-latency N] "
            "[--trace-from CYCLE] [--trace-to CYCLE] IMAGE");
    }
    return options;
}

AxiSignals memory_signals(Vtop &top)
{
    return {top.mem_aw_valid, top.mem_aw_id,   top.mem_aw_len,  top.mem_aw_addr, top.mem_w_valid,
            top.mem_w_strb,   top.mem_w_last,  top.mem_b_ready, top.mem_w_data,  top.mem_ar_valid,
            top.mem_ar_id,    top.mem_ar_len,  top.mem_r_ready, top.mem_ar_addr, top.mem_aw_ready,
            top.mem_w_ready,  top.mem_b_valid, top.mem_b_id,    top.mem_b_resp,  top.mem_ar_ready,
            top.mem_r_valid,  top.mem_r_id,    top.mem_r_resp,  top.mem_r_last,  top.mem_r_data};
}

AxiSignals device_signals(Vtop &top)
{
    return {
        top.mmio_aw_valid, top.mmio_aw_id,   top.mmio_aw_len,  top.mmio_aw_addr, top.mmio_w_valid,
        top.mmio_w_strb,   top.mmio_w_last,  top.mmio_b_ready, top.mmio_w_data,  top.mmio_ar_valid,
        top.mmio_ar_id,    top.mmio_ar_len,  top.mmio_r_ready, top.mmio_ar_addr, top.mmio_aw_ready,
        top.mmio_w_ready,  top.mmio_b_valid, top.mmio_b_id,    top.mmio_b_resp,  top.mmio_ar_ready,
        top.mmio_r_valid,  top.mmio_r_id,    top.mmio_r_resp,  top.mmio_r_last,  top.mmio_r_data};
}

int simulate(const Options &options)
{
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> log(
        options.events.empty() ? nullptr : std::fopen(options.events.c_str(), "w"), std::fclose);
    Vtop top;
    Memory memory(options.memory_bytes);
    Devices devices(options.start);
    AxiPort memory_port(memory_signals(top), memory, options.memory_latency);
    AxiPort device_port(device_signals(top), devices, options.device_latency);
    Watch watch(log.get(), options.trace_from, options.trace_to);

    if (!options.events.empty() && log == nullptr) {
        throw std::runtime_error("cannot write " + options.events);
    }
    memory.load(options.image);
    devices.on_mark = [&](unsigned port, uint64_t value) {
        watch.mark(devices.cycle, port, value);
    };
    for (uint64_t cycle = 0; cycle < options.max_cycles && !devices.finished(); cycle++) {
        bool running = cycle >= reset_cycles;

        devices.cycle = cycle;
        top.reset = !running;
        top.interrupts = devices.interrupt_lines();
        top.clock = 0;
        top.eval();
        if (running) {
            memory_port.sample();
            device_port.sample();
            watch.clock(cycle, {top.watch_valid != 0, top.watch_trapped != 0, top.watch_pc,
                                top.watch_privilege, top.watch_cause, top.watch_timer != 0});
        }
        top.clock = 1;
        top.eval();
        if (running) {
            memory_port.drive();
            device_port.drive();
        }
    }
    top.final();
    if (!devices.finished()) {
        std::fprintf(stderr, "rocket-sim: not finished after %llu cycles, last pc 0x%llx\n",
                     static_cast<unsigned long long>(options.max_cycles),
                     static_cast<unsigned long long>(top.watch_pc));
        return exit_too_long;
    }
    std::printf("finished: cycle %llu, status %d\n", static_cast<unsigned long long>(devices.cycle),
                devices.exit_status());
    return devices.exit_status();
}
} // namespace

int main(int count, char **words)
{
    try {
        return simulate(parse(count, words));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "rocket-sim: %s\n", error.what());
        return exit_usage;
    }
}

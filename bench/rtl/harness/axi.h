// SPDX-License-Identifier: BSD-2-Clause
// A subordinate on an AXI4 port of the Rocket system (AMBA AXI, issue E): 64-bit data, incrementing
// bursts, one read and one write at a time, every output registered.
#ifndef COTENANT_RTL_AXI_H
#define COTENANT_RTL_AXI_H

#include <cstdint>

// What lies behind a port. Addresses are multiples of 8; bit n of `strobe` covers byte n.
class Target
{
  public:
    virtual ~Target() = default;
    // Returns false for an address without anything there: the access ends with a bus error.
    virtual bool read(uint64_t address, uint64_t &data) = 0;
    virtual bool write(uint64_t address, uint64_t data, uint8_t strobe) = 0;
};

// The signals of one port, by reference: `out_` driven by the core, `in_` by this subordinate.
struct AxiSignals {
    const uint8_t &out_aw_valid, &out_aw_id, &out_aw_len;
    const uint32_t &out_aw_address;
    const uint8_t &out_w_valid, &out_w_strobe, &out_w_last, &out_b_ready;
    const uint64_t &out_w_data;
    const uint8_t &out_ar_valid, &out_ar_id, &out_ar_len, &out_r_ready;
    const uint32_t &out_ar_address;
    uint8_t &in_aw_ready, &in_w_ready, &in_b_valid, &in_b_id, &in_b_response;
    uint8_t &in_ar_ready, &in_r_valid, &in_r_id, &in_r_response, &in_r_last;
    uint64_t &in_r_data;
};

class AxiPort
{
  public:
    // `latency`: clocks from an accepted address to the first data, and from the last written data
    // to its response, at least 1.
    AxiPort(const AxiSignals &signals, Target &target, unsigned latency);

    // Just before the rising edge: sees which transfers happen at it.
    void sample();
    // Just after it: drives the registered outputs.
    void drive();

  private:
    void sample_read();
    void sample_write();

    struct Burst {
        bool active = false;
        uint64_t address = 0;
        unsigned beats = 0; // left
        unsigned wait = 0;  // clocks until the next step
        uint8_t id = 0;
        uint8_t response = 0;
    };

    AxiSignals signals;
    Target &target;
    unsigned latency;
    Burst reading;
    Burst writing;
};

#endif

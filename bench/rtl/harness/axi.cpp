// SPDX-License-Identifier: BSD-2-Clause
#include "axi.h"

namespace
{
constexpr uint8_t response_okay = 0;
constexpr uint8_t response_decode_error = 3;
constexpr uint64_t word_mask = ~uint64_t{7};
} // namespace

AxiPort::AxiPort(const AxiSignals &port_signals, Target &port_target, unsigned port_latency)
    : signals(port_signals), target(port_target), latency(port_latency)
{
}

void AxiPort::sample_read()
{
    if (signals.in_ar_ready && signals.out_ar_valid) {
        reading = {true,
                   signals.out_ar_address & word_mask,
                   signals.out_ar_len + 1u,
                   latency,
                   signals.out_ar_id,
                   response_okay};
    } else if (signals.in_r_valid && signals.out_r_ready) {
        reading.address += 8;
        reading.active = --reading.beats != 0;
    }
    if (reading.wait != 0) {
        reading.wait--;
    }
}

void AxiPort::sample_write()
{
    if (signals.in_aw_ready && signals.out_aw_valid) {
        writing = {true,
                   signals.out_aw_address & word_mask,
                   signals.out_aw_len + 1u,
                   latency,
                   signals.out_aw_id,
                   response_okay};
    } else if (signals.in_w_ready && signals.out_w_valid) {
        if (!target.write(writing.address, signals.out_w_data, signals.out_w_strobe)) {
            writing.response = response_decode_error;
        }
        writing.address += 8;
        writing.beats--;
    } else if (signals.in_b_valid && signals.out_b_ready) {
        writing.active = false;
    } else if (writing.beats == 0 && writing.wait != 0) {
        writing.wait--;
    }
}

void AxiPort::sample()
{
    sample_read();
    sample_write();
}

void AxiPort::drive()
{
    bool more = reading.active && reading.wait == 0;
    uint64_t data = 0;

    if (more && !target.read(reading.address, data)) {
        reading.response = response_decode_error;
    }
    signals.in_ar_ready = !reading.active;
    signals.in_r_valid = more;
    signals.in_r_data = data;
    signals.in_r_id = reading.id;
    signals.in_r_response = reading.response;
    signals.in_r_last = reading.beats == 1;

    signals.in_aw_ready = !writing.active;
    signals.in_w_ready = writing.active && writing.beats != 0;
    signals.in_b_valid = writing.active && writing.beats == 0 && writing.wait == 0;
    signals.in_b_id = writing.id;
    signals.in_b_response = writing.response;
}

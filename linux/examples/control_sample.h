/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the control loop of examples/control-loop.toml and the program that watches it say to each
 * other over the stream "loop": samples one way, set points the other. Little endian, no padding.
 */
#ifndef COTENANT_LINUX_EXAMPLES_CONTROL_SAMPLE_H
#define COTENANT_LINUX_EXAMPLES_CONTROL_SAMPLE_H

#include <stdint.h>

/* Periods of the loop between two samples, and the loop's rate in Hz. */
#define CONTROL_SAMPLE_PERIODS 10
#define CONTROL_RATE 1000

/* Speeds are in thousandths of a revolution per second, the drive in thousandths of its most. */
struct control_sample {
    uint32_t period; /* number of the control period, from 0 on */
    int32_t set_point;
    int32_t speed;
    int32_t drive;
    uint32_t lateness_ns; /* of the period's task, after its tick was due */
    uint32_t dropped;     /* samples that found no room so far */
};

struct control_command {
    int32_t set_point;
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages of the memory channel "samples" of examples/shared-memory.toml. Little endian, no
 * padding.
 */
#ifndef COTENANT_LINUX_EXAMPLES_WINDOW_SAMPLE_H
#define COTENANT_LINUX_EXAMPLES_WINDOW_SAMPLE_H

#include <stdint.h>

#define WINDOW_SAMPLE_RATE 1000 /* Hz */

struct window_sample {
    uint32_t number;      /* 0, 1... since the sampler's start, one a period */
    int32_t value;        /* of the signal, in thousandths */
    uint32_t lateness_ns; /* of the sample, after its tick was due */
    uint32_t dropped;     /* samples that found no room so far */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that no tenant may use, whatever is in its registers and CSRs. */
#ifndef COTENANT_HOSTILE_FORBIDDEN_H
#define COTENANT_HOSTILE_FORBIDDEN_H

#include <stdint.h>

static const uint32_t forbidden_instructions[] = {
    0x30200073, /* mret */
    0x70200073, /* mnret */
    0x7b200073, /* dret */
    0x00200073, /* uret */
    0x62000073, /* hfence.gvma */
    0x22000073, /* hfence.vvma */
    0x6c05c573, /* hlv.d a0, (a1) */
    0x6eb5c073, /* hsv.d a1, (a1) */
    0x00000000, /* defined illegal */
    0xffffffff, /* defined illegal */
    0x0000000b, /* custom-0 */
    0x0000005b, /* custom-2 */
};
#define FORBIDDEN_INSTRUCTIONS (sizeof(forbidden_instructions) / sizeof(forbidden_instructions[0]))

#endif

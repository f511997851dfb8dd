/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that the monitor knows when they are illegal. */
#ifndef COTENANT_ARCH_INSTRUCTION_H
#define COTENANT_ARCH_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#define INSTRUCTION_WFI 0x10500073
#define INSTRUCTION_MRET 0x30200073

/*
 * Decodes the reads of the time CSR: CSRRS, CSRRC and their immediate forms without any bit to
 * change, *reg being the destination. False for everything else.
 */
bool instruction_reads_time(uint32_t instruction, uint8_t *reg);

/* MRET, or an access to a CSR whose number says that it is machine mode's (privileged ISA 2.1). */
bool instruction_is_of_machine_mode(uint32_t instruction);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Register layout of a PLIC: RISC-V PLIC specification 1.0, chapter 3. */
#ifndef COTENANT_DEVICE_PLIC_MAP_H
#define COTENANT_DEVICE_PLIC_MAP_H

#define PLIC_PENDING_BASE 0x1000
#define PLIC_ENABLE_BASE 0x2000
/* Bytes of enable bits of one context. */
#define PLIC_ENABLE_STRIDE 0x80
#define PLIC_THRESHOLD_BASE 0x200000
#define PLIC_CLAIM_BASE 0x200004
#define PLIC_CONTEXT_STRIDE 0x1000
#define PLIC_CONTEXTS 15872
/* Bytes of address space, whatever part of it a board implements. */
#define PLIC_SIZE 0x4000000

#endif

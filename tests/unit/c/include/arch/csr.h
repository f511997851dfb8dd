/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for monitor/arch/csr.h: its numbers, and CSRs that are in csr_file.c. */
#ifndef COTENANT_TESTS_ARCH_CSR_H
#define COTENANT_TESTS_ARCH_CSR_H

#include <stdint.h>

#include "../../../../../monitor/arch/csr.h"

uint64_t csr_file_read(const char *name);
void csr_file_write(const char *name, uint64_t value);
uint64_t *csr_file_place(const char *name);

#undef READ_TP
#undef FENCE_I
#undef PUBLISH
#undef FENCE_ALL
#undef FENCE_TRANSLATION
#undef WAIT_FOR_INTERRUPT
#undef CSR_READ
#undef CSR_WRITE
#undef CSR_SET
#undef CSR_CLEAR
#define FENCE_I() ((void)0)
#define PUBLISH(place, value) __atomic_store_n(place, value, __ATOMIC_SEQ_CST)
#define FENCE_ALL() ((void)0)
#define FENCE_TRANSLATION() ((void)0)
#define WAIT_FOR_INTERRUPT() ((void)0)
#define READ_TP() csr_file_read("tp")
#define CSR_READ(name) csr_file_read(#name)
#define CSR_WRITE(name, value) csr_file_write(#name, (uint64_t)(value))
#define CSR_SET(name, bits) csr_file_write(#name, csr_file_read(#name) | (uint64_t)(bits))
#define CSR_CLEAR(name, bits) csr_file_write(#name, csr_file_read(#name) & ~(uint64_t)(bits))

#endif

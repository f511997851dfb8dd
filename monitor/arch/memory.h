/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moving bytes in physical memory, which is the monitor's own address space (M-mode, no
 * translation). Unit tests bring a stand-in of their own.
 */
#ifndef COTENANT_ARCH_MEMORY_H
#define COTENANT_ARCH_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Copies `size` bytes to physical address `destination`; fast when both are aligned alike. */
void physical_copy(uint64_t destination, const void *source, size_t size);

/* Clears `size` bytes at physical address `destination`; fast when it is 8-byte aligned. */
void physical_clear(uint64_t destination, size_t size);

/* The C library's functions, which the compiler may call by itself. */
void *memcpy(void *restrict destination, const void *restrict source, size_t size);
void *memset(void *destination, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);

#endif

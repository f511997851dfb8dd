/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the C standard's <string.h> that tenants, FreeRTOS and the compiler need. */
#ifndef COTENANT_RT_STRING_H
#define COTENANT_RT_STRING_H

#include <stddef.h>

void *memcpy(void *restrict destination, const void *restrict source, size_t size);
void *memmove(void *destination, const void *source, size_t size);
void *memset(void *destination, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void *memchr(const void *memory, int value, size_t size);
size_t strlen(const char *text);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t limit);

#endif

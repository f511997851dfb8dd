/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COTENANTCTL_WRITE_ALL_H
#define COTENANTCTL_WRITE_ALL_H

#include <stddef.h>

/* Writes all bytes to a file, or ends the program (EXIT_REFUSED); `name` is for the sentence. */
void write_all(int file, const char *name, const void *bytes, size_t length);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream of bytes with an end as keys of a terminal in canonical mode (termios(3)): Ctrl-V in
 * front of a byte makes it an ordinary one, Ctrl-D passes on what was typed, or ends the input
 * where nothing was. The guest has switched all other special keys off (exec.c).
 */
#ifndef COHOST_LINE_INPUT_H
#define COHOST_LINE_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that become at most so many more when they are encoded, of at most LINE_INPUT_PIECE. */
#define LINE_INPUT_PIECE 1024
#define LINE_INPUT_MOST (2 * LINE_INPUT_PIECE + 1)

/* Encodes bytes that are passed on at once. Returns how many they have become. */
size_t line_input_encode(const uint8_t *bytes, size_t count, uint8_t *keys);

/* The key that ends the input. */
uint8_t line_input_end(void);

#endif

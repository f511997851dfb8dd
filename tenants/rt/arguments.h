/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the form name=value in the kernel arguments (/chosen/bootargs). Any context, no state.
 */
#ifndef COTENANT_RT_ARGUMENTS_H
#define COTENANT_RT_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The text behind "name=" among the words of `arguments`, up to the next space; NULL if the word is
 * not there. The text is not ended by a zero byte: read it with argument_number().
 */
const char *argument_find(const char *arguments, const char *name);

/*
 * The number at *text, decimal or 0x hexadecimal; moves *text behind it. False, with *text and
 * *value as they were, if no number is there or it has more than 64 bits.
 */
bool argument_number(const char **text, uint64_t *value);

/*
 * A time such as 500ms or 2s, in milliseconds; a number without ms counts seconds. `otherwise` if
 * `text` is NULL or begins with no number, or with 0.
 */
uint64_t argument_milliseconds(const char *text, uint64_t otherwise);

#endif

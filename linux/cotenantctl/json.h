/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JSON to standard output, one value on a line. A NULL name: a member of an array. */
#ifndef COTENANTCTL_JSON_H
#define COTENANTCTL_JSON_H

#include <stdbool.h>
#include <stdint.h>

/* `bracket`: '{' or '['. The outermost one has no name. */
void json_open(char bracket);
void json_open_member(const char *name, char bracket);

/* `bracket`: '}' or ']', whichever is open. Behind the outermost one comes an end of line. */
void json_close(char bracket);

void json_string(const char *name, const char *text);
void json_number(const char *name, uint64_t number);
void json_bool(const char *name, bool value);

/* A number with two digits behind the point. */
void json_hundredths(const char *name, uint64_t hundredths);

#endif

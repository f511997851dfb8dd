/* SPDX-License-Identifier: BSD-2-Clause */
/* What a floor says, in the form of tenants/bench: lines `bench: NAME VALUE`, then `bench: end`. */
#ifndef COTENANT_FLOORS_PRINT_H
#define COTENANT_FLOORS_PRINT_H

#include <stdbool.h>
#include <stdint.h>

/* How many values were right, under a name. */
void print_checked(const char *name);

/* Whether a value is right, which is counted; says so if it is not, and of whom. */
void check(const char *whose, const char *what, uint64_t seen, uint64_t wanted);

/* The same for number `n` of values of one name. */
void check_nth(const char *whose, const char *what, unsigned n, uint64_t seen, uint64_t wanted);

/* The last line, unless a value was wrong. */
void print_end(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the entries of proofs are made of: values of which the analysis knows nothing. */
#ifndef COTENANT_TESTS_PROOFS_PROOF_H
#define COTENANT_TESTS_PROOFS_PROOF_H

/* For Frama-C's contract of memcpy(). Its index() would change the names of variables in alarms. */
#define index string_index
#include <string.h>
#undef index

#include <stdbool.h>
#include <stdint.h>

#include "__fc_builtin.h"

/* Each read of a volatile object is any value of its type. */
extern volatile uint64_t any_value;

static inline uint64_t any64(void)
{
    return any_value;
}

static inline uint32_t any32(void)
{
    return (uint32_t)any_value;
}

static inline uint8_t any8(void)
{
    return (uint8_t)any_value;
}

static inline bool any_bool(void)
{
    return (any_value & 1) != 0;
}

/* 0..most, `most` included. */
static inline uint32_t any_up_to(uint32_t most)
{
    return Frama_C_unsigned_int_interval(0, most);
}

/* Fills an object with bytes that may be anything. */
#define MAKE_ANY(object) Frama_C_make_unknown((char *)&(object), sizeof(object))

#endif

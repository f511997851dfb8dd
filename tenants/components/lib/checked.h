/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments that say themselves whether they came over whole. */
#ifndef COTENANT_COMPONENTS_CHECKED_H
#define COTENANT_COMPONENTS_CHECKED_H

#include "components/lib/component.h"
#include "components/lib/random.h"

/* What an invocation returns that was given other arguments than its caller has sent. */
#define CHECKED_WRONG 0
/* And one of which a component further down was restarted meanwhile. */
#define CHECKED_FAILED 1

static inline uint64_t checked_sum(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    return mix(mix(mix(mix(a, b), c), d), e);
}

/* What is to be returned for an invocation whose own went so; it should give `expected`. */
static inline uint64_t checked_result(struct result result, uint64_t expected, uint64_t right)
{
    if (result.error == ERROR_FAILED || (result.error == OK && result.value == CHECKED_FAILED)) {
        return CHECKED_FAILED;
    }
    return result.error == OK && result.value == expected ? right : CHECKED_WRONG;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The shared lock, for entries of proofs: taken by who does not have it, given back by who does. */
#ifndef COTENANT_TESTS_PROOFS_ANY_LOCK_H
#define COTENANT_TESTS_PROOFS_ANY_LOCK_H

#include "core/shared_lock.h"
#include "proof.h"

static bool lock_is_held;

/* What another hart may have changed while it had the lock: the entry's. */
static void change_by_others(void);

bool shared_lock_take(struct hart *hart, bool give_up)
{
    //@ assert \valid(hart) && !lock_is_held;
    (void)hart;
    if (give_up && any_bool()) {
        return false;
    }
    lock_is_held = true;
    change_by_others();
    return true;
}

void shared_lock_pass_on(struct hart *hart)
{
    //@ assert \valid(hart) && lock_is_held;
    (void)hart;
    lock_is_held = false;
}

#endif

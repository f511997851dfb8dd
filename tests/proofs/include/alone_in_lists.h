/* SPDX-License-Identifier: BSD-2-Clause */
/* Of core/scheduler.c, for entries of proofs: a vhart that is the only one in its hart's lists. */
#ifndef COTENANT_TESTS_PROOFS_ALONE_IN_LISTS_H
#define COTENANT_TESTS_PROOFS_ALONE_IN_LISTS_H

#include "core/hart.h"
#include "core/vhart.h"

void insert_waiting(struct scheduler *scheduler, struct schedulable *entity,
                    enum schedulable_state state, uint64_t wake)
{
    //@ assert scheduler == &harts[0].scheduler && entity == &harts[0].loaded->schedulable;
    scheduler->waiting = entity;
    scheduler->last = entity;
    entity->next = NULL;
    entity->state = state;
    entity->wake = wake;
}

#endif

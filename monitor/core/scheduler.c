/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/scheduler.h"

#include <stddef.h>

void scheduler_init(struct scheduler *scheduler, uint64_t now)
{
    scheduler->ready = NULL;
    scheduler->waiting = NULL;
    scheduler->running = NULL;
    scheduler->charged = now;
}

void insert_waiting(struct scheduler *scheduler, struct schedulable *entity,
                    enum schedulable_state state, uint64_t wake)
{
    insert_in_line(scheduler, entity, state, wake);
}

/* What is left of a budget stays what it is: a tenant could restart as often as it likes. */
void schedule_start(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    schedule_charge(scheduler, now);
    entity->slice_used = 0;
    entity->lateness = 0;
    make_ready(scheduler, entity, now);
}

void schedule_stop(struct scheduler *scheduler, struct schedulable *entity)
{
    if (entity->state == SCHEDULABLE_READY) {
        remove_ready(scheduler, entity);
    } else if (entity->state != SCHEDULABLE_OFF) {
        remove_waiting(scheduler, entity);
    }
    entity->state = SCHEDULABLE_OFF;
}

void schedule_wake(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    if (entity->state == SCHEDULABLE_WAITING) {
        schedule_charge(scheduler, now);
        remove_waiting(scheduler, entity);
        entity->wake = now;
        make_ready(scheduler, entity, now);
    }
}

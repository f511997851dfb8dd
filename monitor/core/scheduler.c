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

void schedule_start(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    entity->slice_used = 0;
    entity->budget_used = 0;
    entity->period_start = now;
    insert_ready(scheduler, entity);
}

void schedule_stop(struct scheduler *scheduler, struct schedulable *entity)
{
    if (entity->state == SCHEDULABLE_READY) {
        remove_from(&scheduler->ready, entity);
    } else if (entity->state != SCHEDULABLE_OFF) {
        remove_from(&scheduler->waiting, entity);
    }
    entity->state = SCHEDULABLE_OFF;
}

void schedule_wake(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    if (entity->state == SCHEDULABLE_WAITING) {
        remove_from(&scheduler->waiting, entity);
        make_ready(scheduler, entity, now);
    }
}

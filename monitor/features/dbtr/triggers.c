/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/dbtr/triggers.h"

#include "core/attended.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "features/dbtr/trigger.h"

struct triggers vhart_triggers[COTENANT_MAX_VHARTS];

/* Takes the triggers of the vhart that has them in this hart out of it. */
static void clear_hart(struct hart_triggers *in_hart)
{
    for (uint32_t i = 0; i < in_hart->count; i++) {
        trigger_clear(in_hart, i);
    }
    in_hart->user = NULL;
}

/* Nothing fires in between: the monitor runs in M-mode. */
uint32_t triggers_apply(struct vhart *vhart)
{
    struct hart_triggers *in_hart = triggers_in(vhart->world.hart);
    struct triggers *own = triggers_of(vhart);
    bool has_any = false;

    for (uint32_t i = 0; i < in_hart->count; i++) {
        const struct trigger *trigger = &own->each[i];

        if (!trigger->mapped) {
            trigger_clear(in_hart, i);
        } else if (!trigger_set(i, trigger->tdata1, trigger->tdata2)) {
            clear_hart(in_hart);
            vhart->world.hart->reschedule = true;
            return i;
        } else {
            has_any = true;
        }
    }
    if (has_any) {
        in_hart->user = vhart;
        in_hart->each = own->each;
        attended_begin(vhart, &own->attended);
        vhart->world.hart->attended_last = &vhart->schedulable;
    } else {
        in_hart->user = NULL;
        attended_end(vhart, &own->attended);
    }
    return MOST_TRIGGERS;
}

void triggers_enter(struct vhart *vhart)
{
    struct hart_triggers *in_hart = triggers_in(vhart->world.hart);
    struct triggers *own = triggers_of(vhart);

    if (!own->attended || in_hart->user == vhart) {
        return;
    }
    in_hart->user = vhart;
    in_hart->each = own->each;
    for (uint32_t i = 0; i < in_hart->count; i++) {
        if (own->each[i].mapped) {
            (void)trigger_set(i, own->each[i].tdata1, own->each[i].tdata2);
        }
    }
}

void triggers_refresh(struct vhart *vhart)
{
    const struct hart_triggers *in_hart = triggers_in(vhart->world.hart);
    struct triggers *own = triggers_of(vhart);

    for (uint32_t i = 0; i < in_hart->count && in_hart->user == vhart; i++) {
        if (own->each[i].mapped) {
            own->each[i].tdata1 = trigger_read(i);
        }
    }
}

void triggers_leave(struct vhart *vhart)
{
    struct hart_triggers *in_hart = triggers_in(vhart->world.hart);

    if (in_hart->user == vhart) {
        in_hart->user = NULL;
        triggers_take_out(in_hart);
    }
}

void triggers_end(struct vhart *vhart)
{
    if (triggers_in(vhart->world.hart)->user == vhart) {
        clear_hart(triggers_in(vhart->world.hart));
    }
    attended_end(vhart, &triggers_of(vhart)->attended);
    *triggers_of(vhart) = (struct triggers){0};
}

HOOK(hart_begins, triggers_probe);
HOOK(vhart_enters, triggers_enter);
HOOK(vhart_leaves, triggers_leave);
HOOK(vhart_ends, triggers_end);

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
        (void)trigger_clear(in_hart, i);
    }
    in_hart->user = NULL;
}

/* Puts those that are mapped into the hart; returns the first one that it does not take as it is.
 */
static uint32_t set_mapped(struct hart_triggers *in_hart, struct vhart *vhart)
{
    const struct triggers *own = triggers_of(vhart);
    uint32_t refused = MOST_TRIGGERS;

    in_hart->user = vhart;
    for (uint32_t i = 0; i < in_hart->count; i++) {
        const struct trigger *trigger = &own->each[i];

        if (trigger->mapped && !trigger_set(i, trigger->tdata1, trigger->tdata2) &&
            refused == MOST_TRIGGERS) {
            refused = i;
        }
    }
    return refused;
}

/* Nothing fires in between: the monitor runs in M-mode. */
uint32_t triggers_apply(struct vhart *vhart)
{
    struct hart_triggers *in_hart = triggers_in(vhart->world.hart);
    struct triggers *own = triggers_of(vhart);
    bool has_any = false;

    for (uint32_t i = 0; i < in_hart->count; i++) {
        if (own->each[i].mapped) {
            has_any = true;
        } else {
            (void)trigger_clear(in_hart, i);
        }
    }
    if (!has_any) {
        in_hart->user = NULL;
        attended_end(vhart, &own->attended);
        return MOST_TRIGGERS;
    }
    attended_begin(vhart, &own->attended);
    return set_mapped(in_hart, vhart);
}

void triggers_enter(struct vhart *vhart)
{
    struct hart_triggers *in_hart = triggers_in(vhart->world.hart);

    if (triggers_of(vhart)->attended && in_hart->user != vhart) {
        (void)set_mapped(in_hart, vhart);
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

/* Out of line, so that a vhart without triggers saves no registers for it. */
static void __attribute__((noinline)) take_out(struct hart_triggers *in_hart, struct triggers *own)
{
    uint32_t count = in_hart->count;

    for (uint32_t i = 0; i < count; i++) {
        struct trigger *trigger = &own->each[i];

        if (trigger->mapped) {
            trigger->tdata1 = trigger_clear(in_hart, i);
        }
    }
    in_hart->user = NULL;
}

void triggers_leave(struct vhart *vhart)
{
    struct hart_triggers *in_hart = triggers_in(vhart->world.hart);

    if (in_hart->user == vhart) {
        take_out(in_hart, triggers_of(vhart));
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

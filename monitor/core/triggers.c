/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/triggers.h"

#include "arch/trigger.h"
#include "core/attended.h"
#include "core/hart.h"
#include "core/hooks.h"

/* Takes the triggers of the vhart that has them in this hart out of it. */
static void clear_hart(struct hart *hart)
{
    for (uint32_t i = 0; i < hart->trigger_count; i++) {
        (void)trigger_clear(hart, i);
    }
    hart->trigger_user = NULL;
}

/* Puts those that are mapped into the hart; returns the first one that it does not take as it is.
 */
static uint32_t set_mapped(struct hart *hart, struct vhart *vhart)
{
    uint32_t refused = MOST_TRIGGERS;

    hart->trigger_user = vhart;
    for (uint32_t i = 0; i < hart->trigger_count; i++) {
        const struct trigger *trigger = &vhart->triggers.each[i];

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
    struct hart *hart = vhart->world.hart;
    bool has_any = false;

    for (uint32_t i = 0; i < hart->trigger_count; i++) {
        if (vhart->triggers.each[i].mapped) {
            has_any = true;
        } else {
            (void)trigger_clear(hart, i);
        }
    }
    if (!has_any) {
        hart->trigger_user = NULL;
        attended_end(vhart, &vhart->triggers.attended);
        return MOST_TRIGGERS;
    }
    attended_begin(vhart, &vhart->triggers.attended);
    return set_mapped(hart, vhart);
}

void triggers_enter(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if (vhart->triggers.attended && hart->trigger_user != vhart) {
        (void)set_mapped(hart, vhart);
    }
}

void triggers_refresh(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    for (uint32_t i = 0; i < hart->trigger_count && hart->trigger_user == vhart; i++) {
        if (vhart->triggers.each[i].mapped) {
            vhart->triggers.each[i].tdata1 = trigger_read(i);
        }
    }
}

void triggers_leave(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if (hart->trigger_user != vhart) {
        return;
    }
    for (uint32_t i = 0; i < hart->trigger_count; i++) {
        struct trigger *trigger = &vhart->triggers.each[i];
        uint64_t tdata1 = trigger_clear(hart, i);

        trigger->tdata1 = trigger->mapped ? tdata1 : trigger->tdata1;
    }
    hart->trigger_user = NULL;
}

void triggers_end(struct vhart *vhart)
{
    if (vhart->world.hart->trigger_user == vhart) {
        clear_hart(vhart->world.hart);
    }
    attended_end(vhart, &vhart->triggers.attended);
    vhart->triggers = (struct triggers){0};
}

HOOK(hart_begins, triggers_probe);
HOOK(vhart_enters, triggers_enter);
HOOK(vhart_leaves, triggers_leave);
HOOK(vhart_ends, triggers_end);

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/triggers.h"

#include "arch/trigger.h"
#include "core/hart.h"
#include "core/plain_path.h"

/* Takes the triggers of whoever has them in this hart out of it. */
static void clear_hart(struct hart *hart)
{
    for (uint32_t i = 0; i < hart->trigger_count; i++) {
        trigger_clear(hart, i);
    }
    hart->trigger_user = NULL;
}

static bool has_any(const struct vhart *vhart)
{
    for (uint32_t i = 0; i < MOST_TRIGGERS; i++) {
        if (vhart->triggers.each[i].mapped) {
            return true;
        }
    }
    return false;
}

uint32_t triggers_apply(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;
    uint32_t refused = MOST_TRIGGERS;

    clear_hart(hart);
    if (!has_any(vhart)) {
        plain_path_end(vhart, PLAIN_PATH_TRIGGERS);
        return refused;
    }
    plain_path_begin(vhart, PLAIN_PATH_TRIGGERS);
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

void triggers_enter(struct vhart *vhart)
{
    if ((vhart->plain_path & PLAIN_PATH_TRIGGERS) != 0 &&
        vhart->world.hart->trigger_user != vhart) {
        (void)triggers_apply(vhart);
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
    if (vhart->world.hart->trigger_user == vhart) {
        triggers_refresh(vhart);
        clear_hart(vhart->world.hart);
    }
}

void triggers_end(struct vhart *vhart)
{
    if (vhart->world.hart->trigger_user == vhart) {
        clear_hart(vhart->world.hart);
    }
    plain_path_end(vhart, PLAIN_PATH_TRIGGERS);
    vhart->triggers = (struct triggers){0};
}

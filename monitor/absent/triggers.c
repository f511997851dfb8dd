/* SPDX-License-Identifier: BSD-2-Clause */
/* No debug triggers: the harts have none set. */
#include "core/triggers.h"
#include "arch/trigger.h"

void triggers_probe(struct hart *hart)
{
    (void)hart;
}

void triggers_enter(struct vhart *vhart)
{
    (void)vhart;
}

void triggers_leave(struct vhart *vhart)
{
    (void)vhart;
}

void triggers_end(struct vhart *vhart)
{
    (void)vhart;
}

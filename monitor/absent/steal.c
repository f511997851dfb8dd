/* SPDX-License-Identifier: BSD-2-Clause */
/* No steal time. */
#include "core/steal.h"

void steal_end(struct vhart *vhart)
{
    (void)vhart;
}

void steal_leave(struct vhart *vhart, uint64_t now, bool idle)
{
    (void)vhart;
    (void)now;
    (void)idle;
}

void steal_enter(struct vhart *vhart, uint64_t now)
{
    (void)vhart;
    (void)now;
}

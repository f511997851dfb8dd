/* SPDX-License-Identifier: BSD-2-Clause */
/* No software events. */
#include "core/software_events.h"

void software_events_deliver(struct vhart *vhart)
{
    (void)vhart;
}

void software_events_stop(struct vhart *vhart)
{
    (void)vhart;
}

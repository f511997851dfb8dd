/* SPDX-License-Identifier: BSD-2-Clause */
/* No suspend: SBI HSM lets it end as soon as it begins. */
#include "arch/suspend.h"

void vhart_suspend(struct vhart *vhart)
{
    (void)vhart;
}

void vhart_end_nap(struct vhart *vhart)
{
    (void)vhart;
}

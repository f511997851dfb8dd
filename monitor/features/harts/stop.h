/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COTENANT_FEATURES_HARTS_STOP_H
#define COTENANT_FEATURES_HARTS_STOP_H

#include "core/vhart.h"

/*
 * SBI section 9, hart_stop: the vhart, of this hart, gives it up for good; it can be started again.
 * The last one ends the tenant. Shared lock held.
 */
void vhart_stop(struct vhart *vhart);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Tenants as JSON, for list and top alike. */
#ifndef COTENANTCTL_SHOW_H
#define COTENANTCTL_SHOW_H

#include "tenants.h"

/* One object; with `before`, an earlier look at the same tenants, also what a second brought. */
void show_json(const struct tenants *tenants, const struct tenants *before);

/* The same vhart in an earlier look, or NULL. */
const struct control_vhart *earlier_vhart(const struct tenants *before, uint32_t tenant,
                                          uint32_t vhart);

/* How much of the time between two looks a number of nanoseconds is, in hundredths of a percent. */
uint64_t share(const struct control_vhart *now, const struct control_vhart *before,
               uint64_t nanoseconds);

/* How often a second something happened between two looks. */
uint64_t rate(const struct control_vhart *now, const struct control_vhart *before, uint64_t count);

/* "running", "ready"...: what the schedule of the hart says of the vhart. */
const char *schedule_name(const struct control_vhart *vhart);

#endif

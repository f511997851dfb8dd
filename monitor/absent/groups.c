/* SPDX-License-Identifier: BSD-2-Clause */
/* No groups: every tenant has its devices all the time. */
#include "core/foreground.h"

#include <stddef.h>

void foreground_init(void)
{
}

bool foreground_has_devices(const struct tenant *tenant)
{
    (void)tenant;
    return true;
}

bool foreground_is_free_for(const struct tenant *tenant)
{
    (void)tenant;
    return true;
}

void foreground_take(struct tenant *tenant)
{
    (void)tenant;
}

bool foreground_suspend(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    (void)vhart;
    (void)address;
    (void)argument;
    return false;
}

void foreground_go_on(struct vhart *vhart)
{
    (void)vhart;
}

void foreground_refused(const struct tenant *tenant, const char *reason)
{
    (void)tenant;
    (void)reason;
}

bool foreground_request(struct tenant *tenant)
{
    (void)tenant;
    return false;
}

void foreground_end_nap_here(struct vhart *vhart)
{
    (void)vhart;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The foreground policy: the tenants of a group use the same harts and devices, one at a time.
 * The active one has them all; the others have only their memory. A tenant without a group always
 * has its harts and devices, as every tenant does without the policy.
 *
 * Interrupts off, shared lock held except for foreground_go_on(), on any hart. The caller goes on
 * to hart_schedule().
 */
#ifndef COTENANT_CORE_FOREGROUND_H
#define COTENANT_CORE_FOREGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/tenant.h"

/* Each is described at the function of its name below. */
struct foreground_policy {
    bool (*has_devices)(const struct tenant *tenant);
    bool (*is_free_for)(const struct tenant *tenant);
    void (*take)(struct tenant *tenant);
    bool (*request)(struct tenant *tenant);
    bool (*suspend)(struct vhart *vhart, uint64_t address, uint64_t argument);
    void (*go_on)(struct vhart *vhart);
    void (*refused)(const struct tenant *tenant, const char *reason);
    void (*end_nap_here)(struct vhart *vhart);
};

/* Set by the hook machine_begins; NULL: there are no groups. */
extern const struct foreground_policy *foreground_policy;

/* The tenant's devices and interrupt sources are its own at present. */
static inline bool foreground_has_devices(const struct tenant *tenant)
{
    return foreground_policy == NULL || foreground_policy->has_devices(tenant);
}

/* The tenant can run: no other member of its group is active. */
static inline bool foreground_is_free_for(const struct tenant *tenant)
{
    return foreground_policy == NULL || foreground_policy->is_free_for(tenant);
}

/* A tenant that foreground_is_free_for() is about to run. */
static inline void foreground_take(struct tenant *tenant)
{
    if (foreground_policy != NULL) {
        foreground_policy->take(tenant);
    }
}

/*
 * The user asks for a tenant. It comes at once if no tenant is active, else when the active one has
 * suspended. Returns false, with nothing done, if it has no group, is active, or its state does
 * not allow it.
 */
static inline bool foreground_request(struct tenant *tenant)
{
    return foreground_policy != NULL && foreground_policy->request(tenant);
}

/*
 * The vhart, of this hart and the last of its tenant that is not stopped, suspends to RAM: the next
 * one of the group gets the harts and devices, at once as far as nothing else is due, and then by
 * foreground_go_on(), and it goes on at `address` with a1 = `argument` when it is its turn again.
 * Returns false if there is no next one: the vhart is to nap.
 */
static inline bool foreground_suspend(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    return foreground_policy != NULL && foreground_policy->suspend(vhart, address, argument);
}

/*
 * Goes on with the switch by which the vhart, which has the hart, leaves or enters the foreground.
 * This is done in its own time (vhart.loading), before any code of its tenant runs there, which
 * could undo a part, and with looks at interrupts in between. The caller calls the scheduler again.
 * Shared lock not held.
 */
static inline void foreground_go_on(struct vhart *vhart)
{
    if (foreground_policy != NULL) {
        foreground_policy->go_on(vhart);
    }
}

/* A suspend of the tenant was refused: says so, once, if a switch waits for it. */
static inline void foreground_refused(const struct tenant *tenant, const char *reason)
{
    if (foreground_policy != NULL) {
        foreground_policy->refused(tenant, reason);
    }
}

/* A vhart of this hart, which naps after foreground_suspend() refused, may have to leave. */
static inline void foreground_end_nap_here(struct vhart *vhart)
{
    if (foreground_policy != NULL) {
        foreground_policy->end_nap_here(vhart);
    }
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fences that one hart asks of others (SBI section 8).
 *
 * A hart does an SFENCE.VMA at every world switch, after it has published hart.loaded. So whoever
 * has changed a page table and then finds that the vhart concerned is not loaded has nothing to
 * wait for: the vhart's next switch-in comes after. Only a hart that has the vhart loaded is asked,
 * by its software interrupt, and waited for; that ends when it has fenced or has switched to
 * a vhart of another tenant. A hart that waits serves what others ask of it.
 *
 * tests/models/remote_fence.pml is this protocol.
 */
#ifndef COTENANT_CORE_REMOTE_FENCE_H
#define COTENANT_CORE_REMOTE_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hart.h"
#include "core/tenant.h"

/*
 * Fences the vharts of the caller's tenant whose ids are bits of `targets`, other than the caller
 * itself: all addresses for SFENCE.VMA, or with `instructions` a FENCE.I. Returns when it is done.
 * Shared lock not held.
 */
void remote_fence(const struct vhart *caller, uint64_t targets, bool instructions);

/* Does what other harts have asked of this one. */
void remote_fence_serve(struct hart *hart);

#endif

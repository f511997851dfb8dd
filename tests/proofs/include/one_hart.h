/* SPDX-License-Identifier: BSD-2-Clause */
/* The hart that executes, and whether something more urgent waits for it: for entries of proofs. */
#ifndef COTENANT_TESTS_PROOFS_ONE_HART_H
#define COTENANT_TESTS_PROOFS_ONE_HART_H

#include "core/hart.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "proof.h"

static uint64_t mtime;
struct hart harts[COTENANT_MAX_HARTS];
struct hart *const proof_hart = &harts[0];
struct tenant tenants[COTENANT_MAX_TENANTS];
uint32_t tenant_count;
const struct bundle *bundle;

bool wanted_by_mail(const struct hart *hart)
{
    (void)hart;
    return any_bool();
}

bool shared_lock_has_waiting(void)
{
    return any_bool();
}

/* The times and what waits for the hart are others at each call. */
static void pass_moment(void)
{
    mtime = any64();
    harts[0].mtime = &mtime;
    harts[0].reschedule = any_bool();
    harts[0].features = any64();
}

#endif

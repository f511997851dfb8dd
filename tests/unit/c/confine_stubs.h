/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of machine mode need of features/confine; that has a test of its own. */
#ifndef COTENANT_TESTS_CONFINE_STUBS_H
#define COTENANT_TESTS_CONFINE_STUBS_H

#include <string.h>

#include "arch/csr.h"
#include "features/confine/confine.h"

static unsigned forgotten;

static void put_entries(struct vhart *vhart, const uint64_t config[2])
{
    memcpy(vhart->world.pmp_config, config, sizeof(vhart->world.pmp_config));
    CSR_WRITE(pmpcfg0, config[0]);
    CSR_WRITE(pmpcfg2, config[1]);
}

void confine_begin(struct vhart *vhart, struct confinement *confinement)
{
    (void)vhart;
    confinement->end = COTENANT_PMP_ENTRIES;
}

void confine_apply(struct vhart *vhart, struct confinement *confinement, unsigned purpose)
{
    confinement->made_for = purpose;
    put_entries(vhart, confinement->blocks);
}

void confine_lift(struct vhart *vhart, struct confinement *confinement, const uint64_t config[2])
{
    (void)confinement;
    put_entries(vhart, config);
}

void confine_forget(struct vhart *vhart, struct confinement *confinement)
{
    (void)vhart;
    (void)confinement;
    forgotten++;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of machine mode need of features/confine; that has a test of its own. */
#ifndef COTENANT_TESTS_CONFINE_STUBS_H
#define COTENANT_TESTS_CONFINE_STUBS_H

#include <string.h>

#include "arch/csr.h"
#include "features/confine/confine.h"
#include "features/machine/machine.h"

static unsigned forgotten;

void confine_begin(struct vhart *vhart, struct confinement *confinement)
{
    (void)vhart;
    confinement->end = COTENANT_PMP_ENTRIES;
}

void confine_put(struct vhart *vhart, const void *config)
{
    memcpy(vhart->world.pmp_config, config, sizeof(vhart->world.pmp_config));
    CSR_WRITE(pmpcfg0, vhart->world.pmp_config[0]);
    CSR_WRITE(pmpcfg2, vhart->world.pmp_config[1]);
}

void confine_forget(struct vhart *vhart, struct confinement *confinement)
{
    (void)vhart;
    (void)confinement;
    forgotten++;
}

/* Accesses as instructions make them. */
static inline bool machine_read_csr(struct vhart *vhart, uint32_t number, uint64_t *value)
{
    return machine_access_csr(vhart, number, false, value);
}

static inline bool machine_write_csr(struct vhart *vhart, uint32_t number, uint64_t value)
{
    return machine_access_csr(vhart, number, true, &value);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The tenants as the monitor tells of them. */
#ifndef COTENANTCTL_TENANTS_H
#define COTENANTCTL_TENANTS_H

#include <stdbool.h>

#include "abi/control.h"

struct tenant {
    uint32_t index;
    struct control_tenant about; /* its name ends with a zero, and has nothing unprintable in it */
    struct control_vhart vharts[COTENANT_MAX_HARTS]; /* about.vharts of them */
};

struct tenants {
    uint64_t time_ns;
    uint32_t count;
    struct tenant list[COTENANT_MAX_TENANTS]; /* those that we may see */
};

/* Asks for everything. */
void tenants_get(struct tenants *tenants);

/* Asks for one. Ends the program (EXIT_REFUSED) if there is no tenant of that name for us. */
void tenant_find(const char *name, struct tenant *tenant);

/* Asks again for one that was found. */
void tenant_update(struct tenant *tenant);

/* "running", ... */
const char *tenant_state(uint32_t state);

/* Nothing works on its memory. */
bool tenant_rests(const struct tenant *tenant);

/* Times that its vharts have been given a hart. */
uint64_t tenant_switches(const struct tenant *tenant);

/* Bytes of all its memory. */
uint64_t tenant_memory(const struct tenant *tenant);

/* Ends the program with the sentence that belongs to a status other than good. */
__attribute__((noreturn)) void refused(const struct tenant *tenant, const char *what,
                                       uint16_t status);

#endif

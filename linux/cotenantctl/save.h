/* SPDX-License-Identifier: BSD-2-Clause */
/* What load and restore share. */
#ifndef COTENANTCTL_SAVE_H
#define COTENANTCTL_SAVE_H

#include "tenants.h"

/* Brings the tenant to the state loaded, with the images of the system in its memory. */
void load_from_bundle(struct tenant *tenant, const char *what);

#endif

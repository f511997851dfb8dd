/* SPDX-License-Identifier: BSD-2-Clause */
/* All tenants and vharts of the checked bundle, set up once. */
#ifndef COTENANT_BOOT_TENANTS_H
#define COTENANT_BOOT_TENANTS_H

/* Sets them up and starts those that start at boot. Before the other harts run. */
void tenants_init(void);

#endif

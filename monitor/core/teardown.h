/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stop of a tenant, once its harts have been told: its message, and, when the harts have let go
 * of its vharts, the reset of its devices and interrupts, and its restart if there is one. It is
 * done as steps of work (core/work.h), of a few hundred instructions with looks at interrupts in
 * between. Until the last one the tenant is TENANT_STOPPING, and takes no command but a stop.
 *
 * Interrupts off, shared lock held, on any hart.
 */
#ifndef COTENANT_CORE_TEARDOWN_H
#define COTENANT_CORE_TEARDOWN_H

#include <stdbool.h>

#include "core/tenant.h"

/* Does a piece of it; false: there was none. */
bool teardown_step(void);

#endif

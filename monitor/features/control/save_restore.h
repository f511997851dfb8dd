/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dormant tenant's state as a structure that can leave the machine and come back. Its memory is
 * for the caller to save and to restore.
 *
 * Interrupts off, shared lock held, on any hart.
 */
#ifndef COTENANT_FEATURES_CONTROL_SAVE_RESTORE_H
#define COTENANT_FEATURES_CONTROL_SAVE_RESTORE_H

#include <stdbool.h>

#include "abi/dormant.h"
#include "core/tenant.h"

/* Fills `state`; false, with nothing done, if the tenant is not dormant. */
bool dormant_save(const struct tenant *tenant, struct dormant_state *state);

/*
 * Makes a tenant dormant whose memory has been filled with what was saved: it goes on at its next
 * turn. `state` is not trusted. Returns false, with nothing done, if it is of another version or
 * cannot be of this tenant, if the tenant is in no group, where no other member would resume it, or
 * if it is not at rest (empty, loaded, stopped or crashed).
 *
 * Steal time, counters, events and debug triggers that it had set up by SBI are not brought back:
 * they are as at a start.
 */
bool dormant_restore(struct tenant *tenant, const struct dormant_state *state);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where interrupts go: from the board's PLIC and the virtual devices to the tenants.
 *
 * A tenant whose vhart is the lowest on its hart claims its device interrupts from the S-mode
 * context of the hart itself; while another tenant runs there, that context's threshold keeps its
 * line down. Sources of all other tenants and the monitor's UART come through the hart's
 * machine context. Interrupts off, shared lock held.
 */
#ifndef COTENANT_FEATURES_PLIC_ROUTING_H
#define COTENANT_FEATURES_PLIC_ROUTING_H

#include "core/tenant.h"
#include "features/plic/vplic.h"

/* vhart.routed: what its hart has to know of its interrupts, in a number to compare. */
#define ROUTED_OUTPUT 0x1u
#define ROUTED_TRAPPED 0x2u
#define ROUTED_THRESHOLD_SHIFT 2

/*
 * The tenant's PLIC may have changed: its vharts' SEIP, threshold, and the protection of the claim
 * register. Those of other harts get a message if something did.
 */
void routing_refresh(struct tenant *tenant);

/*
 * vplic_set_level() and routing_refresh(), for what has changed its level: in one where they can.
 * Without that in the second one, which is shorter.
 */
void routing_set_level(struct tenant *tenant, uint32_t source, bool level);
void routing_set_any_level(struct tenant *tenant, uint32_t source, bool level);

#endif

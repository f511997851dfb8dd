/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where interrupts go: from the board's PLIC and the virtual devices to the tenants.
 *
 * A tenant whose vhart is the lowest on its hart claims its device interrupts from the S-mode
 * context of the hart itself; while another tenant runs there, that context's threshold keeps its
 * line down. Sources of all other tenants and the monitor's UART come through the hart's
 * machine context. Interrupts off, shared lock held except for routing_switch().
 */
#ifndef COTENANT_IRQ_ROUTING_H
#define COTENANT_IRQ_ROUTING_H

#include "core/hart.h"
#include "core/tenant.h"

/*
 * Silences the board's PLIC and opens the monitor's UART, whose interrupt calls `uart_interrupt`.
 * Before routing_init_tenant().
 */
void routing_init(struct hart *boot_hart, void (*uart_interrupt)(void));

/* Gives a tenant its PLIC and the sources of its description. */
void routing_init_tenant(struct tenant *tenant);

/*
 * The sources of the tenant's description are its own from now on, whichever tenant had them
 * before: that one has been reset.
 */
void routing_take_sources(const struct tenant *tenant);

/* The S-mode context of this hart is the vhart's from now on, if it is passed through to it. */
void routing_take_context(struct vhart *vhart);

/*
 * Everything that the tenant has enabled, claimed or not answered yet is undone, in steps: those of
 * vplic_reset_step(), and then what is pending. Its devices have been reset. Begins with step 0,
 * and returns the step that comes next when the hart is wanted; 0: there is none.
 */
uint32_t routing_reset_step(struct tenant *tenant, uint32_t step);

/* The machine external interrupt of the hart: claims one source and passes it on. */
void routing_external_interrupt(struct hart *hart);

/* Highest threshold: no source of 3-bit priority interrupts. */
#define ROUTING_THRESHOLD_CLOSED 7

/*
 * `next` gets the hart from the vhart that is loaded: opens the hart's S-mode context for its user
 * and closes it when another vhart comes after the user.
 */
static inline void routing_switch(const struct hart *hart, const struct vhart *next)
{
    if (next == hart->plic_user) {
        *hart->plic_threshold = hart->plic_user_threshold;
    } else if (hart->plic_user != NULL && hart->loaded == hart->plic_user) {
        *hart->plic_threshold = ROUTING_THRESHOLD_CLOSED;
    }
}

/*
 * The tenant may have enabled or disabled a source: its virtual UART interrupts by the source of
 * the board's UART while the tenant has that one enabled, as kernels do that have its number built
 * in, and by the one of the tenant's description otherwise. Followed by routing_refresh().
 */
void routing_choose_uart_line(struct tenant *tenant);

/* The level of the tenant's virtual UART interrupt may have changed. */
void routing_refresh_uart(struct tenant *tenant);

/*
 * The tenant's PLIC may have changed: its vharts' SEIP, threshold, and the protection of the claim
 * register. Those of other harts get a message if something did.
 */
void routing_refresh(struct tenant *tenant);

/* The same for one vhart, of this hart. */
void routing_apply(struct vhart *vhart);

#endif

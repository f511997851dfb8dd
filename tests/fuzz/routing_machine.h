/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three harts with five tenants whose interrupts the monitor routes. Two have the PLIC passed
 * through, to one vhart and to two, two have it emulated, with one vhart and with two, and the last
 * one, a bystander, has none: it is loaded where the others are not.
 */
#ifndef COTENANT_TESTS_ROUTING_MACHINE_H
#define COTENANT_TESTS_ROUTING_MACHINE_H

#include "core/hart.h"
#include "core/tenant.h"
#include "routing_plic.h"

#define DRIVEN 4 /* tenants that have a PLIC */
#define BYSTANDER DRIVEN
#define DRIVEN_VHARTS 6
#define BOARD_UART 10  /* the source of the monitor's UART, which is a virtual one for tenants */
#define TENANT_UART 12 /* the one of their own UART in their descriptions */
#define UNOWNED 15     /* a device that no tenant owns, and which always asks for service */
#define PHYSICAL_EACH 3
#define VIRTUAL_EACH 2
#define GROUPS 2 /* tenants n and n + GROUPS share their physical sources, if they do */

/* The sources of each tenant, in numbers and as sets. */
const uint8_t *physical_sources(uint32_t tenant);
extern const uint8_t virtual_sources[DRIVEN][VIRTUAL_EACH];
uint64_t physical_set(uint32_t tenant);
/* Those of its PLIC: with the virtual ones, and those of the UART. */
uint64_t known_set(uint32_t tenant);

/*
 * `groups`: members of a group have the same physical sources, one of them with the PLIC passed
 * through and one with it emulated. Only one has its turn, and the other one after its reset.
 */
void machine_reset(bool any_context, bool latches, bool groups);
bool is_passed(uint32_t tenant);
/* The bystander's vhart on a hart, and the one that is loaded. */
struct vhart *machine_bystander(uint32_t hart);
struct vhart *machine_loaded(uint32_t hart);
void machine_switch(struct vhart *to);
void machine_messages(uint32_t hart);
/* Machine external interrupts, on one hart or on all until there are no more. */
bool machine_interrupt(uint32_t hart);
void machine_standstill(void);
/* The source asks for service and no longer does before the hart has seen to it. */
void machine_flicker(uint32_t source);
/* A source of an emulated tenant that is claimed is completed, by none of the drivers. */
void machine_glitch(uint32_t tenant, uint32_t source);

/* What a loaded vhart does; false: an access fault. */
bool machine_store(struct vhart *vhart, uint64_t offset, uint32_t size, uint32_t value);
bool machine_load(struct vhart *vhart, uint64_t offset, uint32_t size, uint32_t *value);
/* The vhart has an external interrupt. */
bool machine_output(const struct vhart *vhart);

/* Levels of virtual devices, by what a tenant does on some hart. */
void machine_set_level(uint32_t tenant, uint32_t source, bool level, uint32_t hart);
void machine_set_uart(uint32_t tenant, bool level, uint32_t hart);

/*
 * A tenant stops, gives back its interrupts on a hart, and runs again or the other one of its group
 * does (true): in one go, or one step if the hart is wanted.
 */
void machine_stop(uint32_t tenant);
bool machine_reset_step(uint32_t tenant, uint32_t hart, bool wanted);

/* What always holds. */
void machine_check(void);

extern uint64_t machine_interruptions;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hart and the firmware below the kernel. Everything else in this folder compiles for the
 * developer's machine too, where tests/unit/c has a stand-in for this.
 */
#ifndef COTENANT_COMPONENTS_MACHINE_H
#define COTENANT_COMPONENTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

struct machine {
    bool has_asids; /* satp.ASID is wide enough for all components */
    uint64_t memory_end;
};
extern struct machine machine;

/* Interrupts that are there and enabled, as a mask; those that are found are disabled. */
uint64_t machine_interrupts(void);
void machine_unmask(uint64_t interrupt);
/* Ours, the software interrupt. */
void machine_raise(void);
/* The next timer interrupt, or an earlier one; it is enabled. All ones: none. */
void machine_set_timer(uint64_t time);
/* Registers of the first virtio device `id`, a page, whose interrupt becomes `component`'s; 0:
 * there is none. At the start. */
uint64_t machine_find_device(uint64_t id, uint64_t component);
/* Waits until an enabled interrupt is there. */
void machine_wait(void);

/* Page tables have changed. */
void machine_fence(void);
/* To another page table. */
void machine_set_space(uint64_t satp);

/* How many of them have gone out: it does not wait. */
uint64_t machine_print(const char *bytes, uint64_t length);
/* The number of the tenant's argument `name` behind `skip` others, 0 if there is none; timebase-hz
 * is the machine's. */
uint64_t machine_argument(const char *name, uint64_t skip);
__attribute__((noreturn)) void machine_shutdown(bool failure);
/* A trap that came from the kernel itself: says so, ends the tenant. */
void machine_check(const struct thread *thread);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps of a tenant without an operating system of its own: handlers for the three supervisor
 * interrupts, and a way to try something that may fault. (FreeRTOS brings its own trap entry.)
 *
 * Handlers run on a stack of their own with interrupts off; they do not nest, and are the same for
 * all harts (harts.h). An exception that
 * nobody expects is printed with all that helps to find it, and ends the tenant as failed.
 */
#ifndef COTENANT_RT_TRAP_H
#define COTENANT_RT_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/csr.h"

/* The interrupted registers, as trap.S stores them. */
struct trap_frame {
    uint64_t registers[32]; /* x0's place is unused */
    uint64_t sepc;
    uint64_t sstatus;
    uint64_t scause;
    uint64_t stval;
};

/* What an exception reported. */
struct trap_fault {
    uint64_t cause;  /* scause */
    uint64_t value;  /* stval */
    uint64_t pc;     /* sepc */
    uint64_t status; /* sstatus */
};

typedef void (*trap_handler)(void);

/* Installs the trap entry; all interrupts are off afterwards. Called by each hart at its start. */
void trap_init(void);

/*
 * `handler` is called for interrupt `cause` (CAUSE_INTERRUPT_*) and has to remove its reason. The
 * interrupt still has to be enabled in sie. NULL: unexpected again.
 */
void trap_set_handler(unsigned cause, trap_handler handler);

/*
 * Calls action(argument). Returns true if it returned. If it raised an exception, it is abandoned
 * and false is returned, with the exception in *fault. May be nested; not for interrupt handlers.
 */
bool trap_try(void (*action)(void *argument), void *argument, struct trap_fault *fault);

/* One 64-bit load, store, or jump to `address` (a return from there counts as success). */
bool trap_try_read64(uint64_t address, uint64_t *value, struct trap_fault *fault);
bool trap_try_write64(uint64_t address, uint64_t value, struct trap_fault *fault);
bool trap_try_execute(uint64_t address, struct trap_fault *fault);

/* The same with one byte. */
bool trap_try_read8(uint64_t address, uint8_t *value, struct trap_fault *fault);
bool trap_try_write8(uint64_t address, uint8_t value, struct trap_fault *fault);

/*
 * Runs a single instruction, 32 bits or compressed, with x1..x31 set from `registers`, whatever
 * they are (sp and tp too), and gives back in `registers` what they are after it. The instruction
 * must not jump. If it faults, *fault tells how, and `registers` is unchanged. Interrupts must be
 * off. By one hart at a time.
 */
bool trap_try_instruction(uint32_t instruction, uint64_t registers[32], struct trap_fault *fault);

/* Where the instruction of trap_try_instruction() stands: sepc of its faults. */
uint64_t trap_instruction_address(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/trap.h"

#include <stddef.h>

#include "rt/console.h"
#include "rt/harts.h"
#include "rt/sbi.h"

#define REGISTER_RA 1
#define REGISTER_SP 2
#define REGISTER_TP 4
#define HANDLER_COUNT 16

/* A trap_try() under way, innermost first. */
struct attempt {
    struct attempt *outer;
    uint64_t stack;
    struct trap_fault *fault;
};

extern const char trap_entry[];
extern const char trap_try_abandon[];
bool trap_try_call(void (*action)(void *), void *argument, uint64_t *stack);
void trap_dispatch(struct trap_frame *frame);

static trap_handler handlers[HANDLER_COUNT];

void trap_init(void)
{
    csr_write(sie, 0);
    csr_write(sscratch, (uintptr_t)hart_self());
    csr_write(stvec, (uintptr_t)trap_entry);
}

void trap_set_handler(unsigned cause, trap_handler handler)
{
    if (cause < HANDLER_COUNT) {
        handlers[cause] = handler;
    }
}

static __attribute__((noreturn)) void unexpected(const struct trap_frame *frame)
{
    print("unexpected trap: scause=0x%lx sepc=0x%lx stval=0x%lx sstatus=0x%lx ra=0x%lx sp=0x%lx\n",
          frame->scause, frame->sepc, frame->stval, frame->sstatus, frame->registers[REGISTER_RA],
          frame->registers[REGISTER_SP]);
    sbi_shutdown(true);
}

/* Called by trap.S with interrupts off; changes to *frame take effect on return. */
void trap_dispatch(struct trap_frame *frame)
{
    const struct attempt *attempt = hart_self()->attempt;
    uint64_t number = frame->scause & ~CAUSE_INTERRUPT;

    if ((frame->scause & CAUSE_INTERRUPT) != 0) {
        if (number >= HANDLER_COUNT || handlers[number] == NULL) {
            unexpected(frame);
        }
        handlers[number]();
        return;
    }
    if (attempt == NULL) {
        unexpected(frame);
    }
    *attempt->fault = (struct trap_fault){
        .cause = frame->scause, .value = frame->stval, .pc = frame->sepc, .status = frame->sstatus};
    frame->sepc = (uintptr_t)trap_try_abandon;
    frame->registers[REGISTER_SP] = attempt->stack;
    frame->registers[REGISTER_TP] = (uintptr_t)hart_self();
    frame->sstatus |= SSTATUS_SPP; /* who tried is in S-mode, even if it went on in U-mode */
}

bool trap_try(void (*action)(void *argument), void *argument, struct trap_fault *fault)
{
    struct hart *self = hart_self();
    struct attempt this = {.outer = self->attempt, .fault = fault};
    bool returned;

    *fault = (struct trap_fault){0};
    self->attempt = &this;
    __asm__ volatile("" : : : "memory");
    returned = trap_try_call(action, argument, &this.stack);
    __asm__ volatile("" : : : "memory");
    self->attempt = this.outer;
    return returned;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console service: moves bytes between the board's UART and the consoles of all tenants.
 *
 * It works in small steps, at most one in each CONSOLE_STEP_US and only while there is something to
 * do, so that neither a tenant that prints a flood nor a line that delivers one can take more than
 * a fixed small share of the hart from anybody. The steps are the boot hart's; the other functions
 * are called by any hart. Interrupts off, shared lock held unless something else is said.
 */
#ifndef COTENANT_CORE_CONSOLE_H
#define COTENANT_CORE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hart.h"
#include "core/tenant_commands.h"

#define CONSOLE_STEP_US 50

/*
 * A step that is due waits as long as this while somebody runs who is not of the lowest priority on
 * the hart: then it is done all the same, so that a tenant that never rests cannot keep the user
 * from stopping it.
 */
#define CONSOLE_PATIENCE_US 1000

/* Opens the board's UART and the multiplexer as the bundle says. After lifecycle_init(). */
void console_init(struct hart *hart);

/*
 * Does a step, which was due by the hart's console_due, and sets that anew. It ends early when a
 * machine interrupt other than the one that led here becomes pending, so that nobody waits for more
 * than a byte.
 */
void console_step(uint64_t now);

/* The step is due, but somebody else needs the hart first. Shared lock not needed. */
void console_put_off(uint64_t now);

/* The console's hart has been asked for a step by another one. Shared lock not needed. */
void console_wake_here(void);

/* There is something to do for a tenant that stops: core/stopping.h. */
void console_stopping(void);

/* A tenant has written to its console. */
void console_output_ready(void);

/* A heartbeat is expected earlier than any was before: core/watch.h. */
void console_watch_set(void);

/* The UART's interrupt: bytes have arrived. */
void console_input_ready(void);

/*
 * Begins to carry out a command for a tenant, and says so on the log for those who follow it.
 * False, with nothing done, if the state of the tenant does not allow it or the machine is being
 * left.
 */
bool console_command(struct tenant *tenant, enum tenant_command command);

/* A tenant begins or ends to run: decides whether it gets input. */
void console_tenant_running(uint32_t tenant, bool running);

/* Another tenant has the devices of `from`: its focus as well, without a word. */
void console_follow(uint32_t from, uint32_t to);

/* Says `what` and three numbers on the UART without any of the above, for a monitor that failed. */
void console_failure(const char *what, uint64_t cause, uint64_t pc, uint64_t value);

#endif

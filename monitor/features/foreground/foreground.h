/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The foreground policy (core/foreground.h) by groups of the description.
 *
 * The active one leaves by itself, by suspending to RAM (SBI SUSP), or ends. Then comes the one
 * that was asked for, else the next of the group in turn. Its devices and its interrupts are reset
 * in between, so that no tenant finds what another one left there.
 *
 * What follows are steps of work (core/work.h): interrupts off, shared lock held.
 */
#ifndef COTENANT_FEATURES_FOREGROUND_FOREGROUND_H
#define COTENANT_FEATURES_FOREGROUND_FOREGROUND_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tells of a tenant that has been suspended or resumed or starts, which a switch leaves to the
 * console service, as far as the hart is not wanted; false: there is nothing to tell.
 */
bool foreground_tell(void);

/* When foreground_look() has something to do, or TIME_NEVER. */
uint64_t foreground_deadline(void);

/* Deals with a tenant that was asked to suspend and has not done so in time; false: none. */
bool foreground_look(uint64_t now);

#endif

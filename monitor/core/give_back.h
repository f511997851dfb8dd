/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant gives back its devices and interrupts, because it stops or another one of its group has
 * its turn: a part at a time, each a few hundred instructions at most, so that its caller can look
 * at interrupts in between. Interrupts off, shared lock held, on any hart.
 */
#ifndef COTENANT_CORE_GIVE_BACK_H
#define COTENANT_CORE_GIVE_BACK_H

#include <stdbool.h>

#include "core/tenant.h"

/*
 * Resets the next part: first the devices, which then write to no memory any more, then the
 * interrupts. False: nothing is left. It begins with tenant.given_back = 0.
 */
bool give_back_step(struct tenant *tenant);

#endif

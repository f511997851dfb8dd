/* SPDX-License-Identifier: BSD-2-Clause */
/* A hart carries out what others have asked of its vharts: core/messages.h. */
#ifndef COTENANT_ENTRY_REQUESTS_H
#define COTENANT_ENTRY_REQUESTS_H

#include "core/hart.h"

/*
 * The software interrupt of this hart: serves fences, then carries out what is in the mail. Shared
 * lock not held, interrupts off.
 */
void requests_take(struct hart *hart);

#endif

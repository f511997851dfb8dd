/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for monitor/entry/trap.h: Frama-C knows no type of 128 bits. */
#ifndef COTENANT_TESTS_PROOFS_TRAP_H
#define COTENANT_TESTS_PROOFS_TRAP_H

#define __int128 long
#include "../../../../monitor/entry/trap.h"
#undef __int128

#endif

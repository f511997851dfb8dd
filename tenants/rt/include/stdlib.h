/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the C standard's <stdlib.h> that FreeRTOS needs: it includes the header by name. */
#ifndef COTENANT_RT_STDLIB_H
#define COTENANT_RT_STDLIB_H

#include <stddef.h>

#endif

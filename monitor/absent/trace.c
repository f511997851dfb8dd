/* SPDX-License-Identifier: BSD-2-Clause */
/* No traces. */
#include "entry/trace_trap.h"

void trace_begin(const struct hart *hart)
{
    (void)hart;
}

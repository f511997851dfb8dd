/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing of the C standard's <stdio.h>: lwIP includes the header by name. */
#ifndef COTENANT_RT_STDIO_H
#define COTENANT_RT_STDIO_H

#endif

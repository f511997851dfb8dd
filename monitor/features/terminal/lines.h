/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of mux mode. */
#ifndef COTENANT_FEATURES_TERMINAL_LINES_H
#define COTENANT_FEATURES_TERMINAL_LINES_H

#include "core/console_mux.h"

/* The next byte for the physical line; -1: nothing for now. */
int terminal_next(struct console_mux *mux);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* No terminal: the console line carries frames. */
#include "core/console_mux.h"

const struct console_form console_terminal;

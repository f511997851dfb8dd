/* SPDX-License-Identifier: BSD-2-Clause */
/* What the monitor says before it trusts its bundle: on the UART that its own header names. */
#ifndef COTENANT_BOOT_EARLY_CONSOLE_H
#define COTENANT_BOOT_EARLY_CONSOLE_H

#include "abi/bundle.h"
#include "boot/check.h"

void early_console_init(const struct monitor_header *header);

/* Says which part of the bundle is wrong, powers the machine off, does not return. */
_Noreturn void early_console_refuse(const struct check_result *result);

#endif

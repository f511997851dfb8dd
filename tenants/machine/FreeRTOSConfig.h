/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration that tenants have, with what FreeRTOS' own port for RISC-V machine mode asks.
 */
#ifndef MACHINE_FREERTOS_CONFIG_H
#define MACHINE_FREERTOS_CONFIG_H

#include "freertos/FreeRTOSConfig.h"
#include "machine/machine.h"

/* Of the timer, which is what the port means by it. */
#define configCPU_CLOCK_HZ TIMEBASE_HZ
#define configMTIME_BASE_ADDRESS MTIME
#define configMTIMECMP_BASE_ADDRESS MTIMECMP
#define configISR_STACK_SIZE_WORDS 512
/* The application's notion of them is that of this port: unsigned, a tick is a word. */
#undef configTICK_TYPE_WIDTH_IN_BITS
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_64_BITS

#endif

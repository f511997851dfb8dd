/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The watchdog timer that a tenant sees: that of Allwinner's A31 and later, for which a stock Linux
 * has a driver (sunxi_wdt). It is a way to give heartbeats to watch.h, which knows how long
 * the next one may take: the interval of the Mode register is kept and means nothing.
 */
#ifndef COTENANT_FEATURES_WATCH_WATCHDOG_H
#define COTENANT_FEATURES_WATCH_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

/* Registers, all of 32 bits, by their offsets. */
#define WATCHDOG_CONTROL 0x10 /* reads as zero; WATCHDOG_RELOAD is a heartbeat */
#define WATCHDOG_CONFIG 0x14
#define WATCHDOG_MODE 0x18
#define WATCHDOG_SIZE 0x20

/* The key that the control register wants in its bits 12:1, and the bit that reloads. */
#define WATCHDOG_RELOAD (0xa57 << 1 | 1)
/* The timer runs; without it no heartbeat is expected. */
#define WATCHDOG_MODE_ENABLE 0x1
#define WATCHDOG_MODE_BITS 0xf1
#define WATCHDOG_CONFIG_BITS 0x3

/*
 * The tenant loads or stores the 32-bit register at `offset`, below WATCHDOG_SIZE and a multiple
 * of 4. Places without a register read as zero and keep nothing. Shared lock held.
 */
uint32_t watchdog_read(const struct tenant *tenant, uint64_t offset);
void watchdog_write(struct tenant *tenant, uint64_t offset, uint32_t value, uint64_t now);

#endif
